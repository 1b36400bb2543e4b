/** Brings a store to the state every cluster starts from; run again, it only adds what is missing. */
import { keyOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import {
	CLUSTER_ROLE_BINDINGS,
	CLUSTER_ROLES,
	CONFIG_MAPS,
	ENDPOINT_SLICES,
	ENDPOINTS,
	NAMESPACES,
	PRIORITY_CLASSES,
	ROLE_BINDINGS,
	ROLES,
	SERVICES,
} from '../../../api/resources.ts';
import { ignore } from '../../../base/errors.ts';
import type { FrontProxyOptions } from '../authn/front-proxy.ts';
import type { Client } from '../../../client/client.ts';
import { CLUSTER_ROLE_TEXT } from './cluster-roles.ts';
import { CONTROLLER_ROLE_TEXT } from './controller-roles.ts';
import { ensureFlowControl } from './ensure-flow-control.ts';
import { parseBindings, parseRoles } from './rbac-text.ts';
import { reconciledBinding, reconciledRole } from './reconciled.ts';
import { CLUSTER_ROLE_BINDING_TEXT, ROLE_BINDING_TEXT } from './role-bindings.ts';
import { ROLE_TEXT } from './roles.ts';
import {
	authenticationConfig,
	legacyTokenTracking,
	kubernetesEndpoints,
	kubernetesEndpointSlice,
	kubernetesService,
	SYSTEM_NAMESPACES,
	SYSTEM_PRIORITY_CLASSES,
} from './system-objects.ts';

export interface BootstrapOptions {
	readonly now: number;
	/** The first address of the first range: the cluster IP of the kubernetes service. */
	readonly kubernetesIp: string;
	/** Where pods and nodes reach the API server. */
	readonly advertiseAddress: string;
	readonly port: number;
	/** PEM of the CA that signs client certificates. */
	readonly clientCa: string;
	readonly frontProxy?: FrontProxyOptions | undefined;
	/** Other servers may work on the same store: the endpoints of the kubernetes Service are for `MasterLeases`. */
	readonly isShared?: boolean;
}

/** Creates and completes the system objects but the Service kubernetes. The client acts as a member of system:masters. */
export async function bootstrap(client: Client, options: BootstrapOptions, signal: AbortSignal): Promise<void> {
	await ensureAll(client, NAMESPACES, SYSTEM_NAMESPACES, signal);
	await Promise.all([
		ensureComplete(client, CLUSTER_ROLES, [...parseRoles(CLUSTER_ROLE_TEXT), ...parseRoles(CONTROLLER_ROLE_TEXT)], reconciledRole, signal),
		ensureComplete(client, ROLES, parseRoles(ROLE_TEXT), reconciledRole, signal),
		ensureComplete(client, CLUSTER_ROLE_BINDINGS, parseBindings(CLUSTER_ROLE_BINDING_TEXT), reconciledBinding, signal),
		ensureComplete(client, ROLE_BINDINGS, parseBindings(ROLE_BINDING_TEXT), reconciledBinding, signal),
		ensureAll(client, PRIORITY_CLASSES, SYSTEM_PRIORITY_CLASSES, signal),
		ensureFlowControl(client, signal),
		ensureData(client, CONFIG_MAPS, authenticationConfig(options.clientCa, options.frontProxy), ['data'], signal),
		ensureAll(client, CONFIG_MAPS, [legacyTokenTracking(options.now)], signal),
	]);
}

/** The Service kubernetes, and where it leads. Tells whether anything of it was missing. */
export async function ensureKubernetesService(client: Client, options: BootstrapOptions, signal: AbortSignal): Promise<boolean> {
	const { advertiseAddress, kubernetesIp, port } = options;
	const made = await ensureAll(client, SERVICES, [kubernetesService(kubernetesIp, port)], signal);
	if (options.isShared === true) return made;
	const led = await Promise.all([
		ensureData(client, ENDPOINTS, kubernetesEndpoints(advertiseAddress, port), ['subsets'], signal),
		ensureData(client, ENDPOINT_SLICES, kubernetesEndpointSlice(advertiseAddress, port), ['endpoints', 'ports'], signal),
	]);
	return made || led.includes(true);
}

/** Creates those that are not there, and tells whether there were any. */
async function ensureAll<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	wanted: readonly T[],
	signal: AbortSignal,
): Promise<boolean> {
	const present = await existing(client, resource, wanted, signal);
	const missing = wanted.filter((one) => !present.has(keyOf(one)));
	await Promise.all(missing.map((one) => create(client, resource, one, signal)));
	return missing.length > 0;
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

/** Creates the object, or sets the named fields of the stored one where they differ. Tells whether it did. */
async function ensureData<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	wanted: T,
	fields: readonly (keyof T)[],
	signal: AbortSignal,
): Promise<boolean> {
	const key = keyOf(wanted);
	const stored = await client.get(resource, key, { signal }).catch(ignore('NotFound'));
	if (stored !== undefined && fields.every((field) => JSON.stringify(stored[field]) === JSON.stringify(wanted[field]))) return false;
	if (stored === undefined) await create(client, resource, wanted, signal);
	else
		await client.patch(
			resource,
			key,
			{ type: 'merge', body: Object.fromEntries(fields.map((field) => [field, wanted[field]])) },
			{ signal },
		);
	return true;
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
