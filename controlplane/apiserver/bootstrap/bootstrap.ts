/** Brings a store to the state every cluster starts from; run again, it only adds what is missing. What is kept while the server runs: `upkeep/`. */
import { keyOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, PRIORITY_CLASSES, ROLE_BINDINGS, ROLES } from '../../../api/resources.ts';
import { ignore } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { CLUSTER_ROLE_TEXT } from './cluster-roles.ts';
import { CONTROLLER_ROLE_TEXT } from './controller-roles.ts';
import { ensureFlowControl } from './ensure-flow-control.ts';
import { parseBindings, parseRoles } from './rbac-text.ts';
import { reconciledBinding, reconciledRole } from './reconciled.ts';
import { CLUSTER_ROLE_BINDING_TEXT, ROLE_BINDING_TEXT } from './role-bindings.ts';
import { ROLE_TEXT } from './roles.ts';
import { SYSTEM_PRIORITY_CLASSES } from './system-objects.ts';

/** Creates and completes the system objects that are for others to change. The client acts as a member of system:masters. */
export async function bootstrap(client: Client, signal: AbortSignal): Promise<void> {
	await Promise.all([
		ensureComplete(client, CLUSTER_ROLES, [...parseRoles(CLUSTER_ROLE_TEXT), ...parseRoles(CONTROLLER_ROLE_TEXT)], reconciledRole, signal),
		ensureComplete(client, ROLES, parseRoles(ROLE_TEXT), reconciledRole, signal),
		ensureComplete(client, CLUSTER_ROLE_BINDINGS, parseBindings(CLUSTER_ROLE_BINDING_TEXT), reconciledBinding, signal),
		ensureComplete(client, ROLE_BINDINGS, parseBindings(ROLE_BINDING_TEXT), reconciledBinding, signal),
		ensureAll(client, PRIORITY_CLASSES, SYSTEM_PRIORITY_CLASSES, signal),
		ensureFlowControl(client, signal),
	]);
}

/** Creates those that are not there. */
async function ensureAll<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	wanted: readonly T[],
	signal: AbortSignal,
): Promise<void> {
	const present = await existing(client, resource, wanted, signal);
	await Promise.all(wanted.filter((one) => !present.has(keyOf(one))).map((one) => create(client, resource, one, signal)));
}

async function create<T extends KubeObject>(client: Client, resource: Resource<T>, object: T, signal: AbortSignal): Promise<void> {
	await client.create(resource, object, { signal }).catch(ignore('AlreadyExists'));
}

/** The stored objects of the kind, of the wanted ones' only namespace where they share one. */
async function existing<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	wanted: readonly T[],
	signal: AbortSignal,
): Promise<ReadonlyMap<string, T>> {
	const namespaces = new Set(wanted.map((one) => one.metadata.namespace));
	const [only] = namespaces;
	const { items } = await client.list(resource, { signal, ...(namespaces.size === 1 && only !== undefined ? { namespace: only } : {}) });
	return new Map(items.map((one) => [keyOf(one), one]));
}

/** Makes what is absent, and completes what is there. */
async function ensureComplete<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	wanted: readonly T[],
	reconciled: (stored: T, wanted: T) => T | 'anew' | undefined,
	signal: AbortSignal,
): Promise<void> {
	const present = await existing(client, resource, wanted, signal);
	await Promise.all(
		wanted.map(async (object) => {
			const stored = present.get(keyOf(object));
			if (stored === undefined) return create(client, resource, object, signal);
			const next = reconciled(stored, object);
			if (next === undefined) return;
			if (next !== 'anew') return void (await client.update(resource, next, { signal }));
			const { uid } = stored.metadata;
			await client.delete(resource, keyOf(stored), { signal, ...(uid === undefined ? {} : { uid }) }).catch(ignore('NotFound'));
			await create(client, resource, object, signal);
		}),
	);
}
