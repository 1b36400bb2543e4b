/** Brings a store to the state every cluster starts from; run again, it only adds what is missing. */
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RbacSubject as Subject } from '../../../api/gen/types.ts';
import { keyOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import {
	CLUSTER_ROLE_BINDINGS,
	CLUSTER_ROLES,
	CONFIG_MAPS,
	ENDPOINT_SLICES,
	ENDPOINTS,
	FLOW_SCHEMAS,
	NAMESPACES,
	PRIORITY_CLASSES,
	PRIORITY_LEVEL_CONFIGURATIONS,
	ROLE_BINDINGS,
	ROLES,
	SERVICE_CIDRS,
	SERVICES,
} from '../../../api/resources.ts';
import { ignore } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { uncovered } from '../authz/covers.ts';
import { CLUSTER_ROLE_TEXT } from './cluster-roles.ts';
import { CONTROLLER_ROLE_TEXT } from './controller-roles.ts';
import { FLOW_SCHEMA_DATA, PRIORITY_LEVELS } from './flow-control.ts';
import { parseBindings, parseRoles } from './rbac-text.ts';
import { CLUSTER_ROLE_BINDING_TEXT, ROLE_BINDING_TEXT } from './role-bindings.ts';
import { ROLE_TEXT } from './roles.ts';
import {
	authenticationConfig,
	defaultServiceCidr,
	kubernetesEndpoints,
	kubernetesEndpointSlice,
	kubernetesService,
	SYSTEM_NAMESPACES,
	SYSTEM_PRIORITY_CLASSES,
} from './system-objects.ts';

export interface BootstrapOptions {
	/** Service ranges, "10.0.0.0/24". */
	readonly serviceCidrs: readonly string[];
	/** The first address of the first range: the cluster IP of the kubernetes service. */
	readonly kubernetesIp: string;
	/** Where pods and nodes reach the API server. */
	readonly advertiseAddress: string;
	readonly port: number;
	/** PEM of the CA that signs client certificates. */
	readonly clientCa: string;
}

/** Creates and completes the system objects. The client acts as a member of system:masters. */
export async function bootstrap(client: Client, options: BootstrapOptions, signal: AbortSignal): Promise<void> {
	await ensureAll(client, NAMESPACES, SYSTEM_NAMESPACES, signal);
	const { advertiseAddress, port } = options;
	await Promise.all([
		ensureRoles(client, CLUSTER_ROLES, [...parseRoles(CLUSTER_ROLE_TEXT), ...parseRoles(CONTROLLER_ROLE_TEXT)], signal),
		ensureRoles(client, ROLES, parseRoles(ROLE_TEXT), signal),
		ensureBindings(client, CLUSTER_ROLE_BINDINGS, parseBindings(CLUSTER_ROLE_BINDING_TEXT), signal),
		ensureBindings(client, ROLE_BINDINGS, parseBindings(ROLE_BINDING_TEXT), signal),
		ensureAll(client, PRIORITY_CLASSES, SYSTEM_PRIORITY_CLASSES, signal),
		ensureAll(client, PRIORITY_LEVEL_CONFIGURATIONS, PRIORITY_LEVELS, signal),
		ensureAll(client, FLOW_SCHEMAS, FLOW_SCHEMA_DATA, signal),
		ensureData(client, CONFIG_MAPS, authenticationConfig(options.clientCa), ['data'], signal),
		ensureAll(client, SERVICE_CIDRS, [defaultServiceCidr(options.serviceCidrs)], signal),
	]);
	await ensureAll(client, SERVICES, [kubernetesService(options.kubernetesIp, port)], signal);
	await Promise.all([
		ensureData(client, ENDPOINTS, kubernetesEndpoints(advertiseAddress, port), ['subsets'], signal),
		ensureData(client, ENDPOINT_SLICES, kubernetesEndpointSlice(advertiseAddress, port), ['endpoints', 'ports'], signal),
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

/** Creates the object, or sets the named fields of the stored one where they differ. */
async function ensureData<T extends KubeObject>(
	client: Client,
	resource: Resource<T>,
	wanted: T,
	fields: readonly (keyof T)[],
	signal: AbortSignal,
): Promise<void> {
	const key = keyOf(wanted);
	const stored = await client.get(resource, key, { signal }).catch(ignore('NotFound'));
	if (stored === undefined) return create(client, resource, wanted, signal);
	if (fields.every((field) => JSON.stringify(stored[field]) === JSON.stringify(wanted[field]))) return;
	await client.patch(resource, key, { type: 'merge', body: Object.fromEntries(fields.map((field) => [field, wanted[field]])) }, { signal });
}

/** Adds missing rules (never takes any away) to roles that are marked for it, and labels of aggregated ones. */
async function ensureRoles<T extends ClusterRole | Role>(
	client: Client,
	resource: Resource<T>,
	wanted: readonly T[],
	signal: AbortSignal,
): Promise<void> {
	const present = await existing(client, resource, wanted, signal);
	await Promise.all(
		wanted.map(async (role) => {
			const stored = present.get(keyOf(role));
			if (stored === undefined) return create(client, resource, role, signal);
			const rules = missingRules(stored, role);
			if (rules.length === 0) return;
			await client.update(resource, { ...stored, rules: [...(stored.rules ?? []), ...rules] }, { signal });
		}),
	);
}

function missingRules(stored: ClusterRole | Role, wanted: ClusterRole | Role): readonly PolicyRule[] {
	return autoUpdated(stored) ? uncovered(stored.rules ?? [], wanted.rules ?? []) : [];
}

async function ensureBindings<T extends ClusterRoleBinding>(
	client: Client,
	resource: Resource<T>,
	wanted: readonly T[],
	signal: AbortSignal,
): Promise<void> {
	const present = await existing(client, resource, wanted, signal);
	await Promise.all(
		wanted.map(async (binding) => {
			const stored = present.get(keyOf(binding));
			if (stored === undefined) return create(client, resource, binding, signal);
			const has = new Set((stored.subjects ?? []).map(subjectText));
			const missing = autoUpdated(stored) ? (binding.subjects ?? []).filter((s) => !has.has(subjectText(s))) : [];
			if (missing.length === 0) return;
			await client.update(resource, { ...stored, subjects: [...(stored.subjects ?? []), ...missing] }, { signal });
		}),
	);
}

function autoUpdated(object: KubeObject): boolean {
	return object.metadata.annotations?.['rbac.authorization.kubernetes.io/autoupdate'] === 'true';
}

function subjectText({ kind, namespace = '', name }: Subject): string {
	return `${kind} ${namespace}/${name}`;
}
