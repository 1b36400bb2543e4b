/** All admission plugins in their order, as the server's pipeline runs them, on a write and what is stored. */
import type { KubeObject } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { admissionPlugins } from '../../controlplane/apiserver/admission/plugins.ts';
import { RbacAuthorizer } from '../../controlplane/apiserver/authz/rbac.ts';
import { RbacIndex } from '../../controlplane/apiserver/authz/rbac-index.ts';
import type { AdmissionAttributes } from '../../controlplane/apiserver/contracts.ts';
import { Kinds } from '../../controlplane/apiserver/registry/kinds.ts';
import { WebhookCaller } from '../../controlplane/apiserver/webhook/caller.ts';
import { attributesOf, reader } from './admission.ts';

/** Objects by "PLURAL KEY". */
export type Stored = Readonly<Record<string, object>>;

/** A create by an administrator, of a pod in the namespace n, unless told. */
export interface Write
	extends Partial<Pick<AdmissionAttributes, 'user' | 'group' | 'resource' | 'subresource' | 'kind' | 'operation' | 'namespace'>> {
	/** Beside the namespace and its account. */
	readonly stored?: Stored;
	readonly old?: object;
}

export interface Admitted {
	/** As the plugins left it. */
	readonly object: Record<string, unknown>;
	readonly warnings: readonly string[];
	/** The refusal's text. */
	readonly refused?: string;
}

const NEVER = new AbortController().signal;
const ADMIN = { name: 'admin', uid: '', groups: ['system:masters'], extra: {} };
const BASE: Stored = { 'namespaces n': {}, 'serviceaccounts n/default': {} };

export async function admit(object: object | undefined, { stored, old, ...more }: Write = {}): Promise<Admitted> {
	const objects = reader({ ...BASE, ...stored });
	const rbac = new RbacAuthorizer(new RbacIndex(objects));
	const clock = new VirtualClock();
	const plugins = admissionPlugins({
		objects,
		writer: {
			change: async (resource, key, transform) => transform(objects.get(resource, key) as never),
			delete: () => Promise.reject(new Error('nothing is deleted here')),
		},
		authorizer: rbac,
		clock,
		kinds: new Kinds(),
		caller: new WebhookCaller({ objects, clock }),
		createNamespace: () => Promise.reject(new Error('nothing is made here')),
	});
	const warnings: string[] = [];
	const written = structuredClone(object) as KubeObject | undefined;
	const attributes = attributesOf(
		{},
		{
			...{ user: ADMIN, kind: '', name: written?.metadata.name ?? 'a', ...more },
			...{ object: written, oldObject: old as KubeObject | undefined, warn: (text: string) => void warnings.push(text) },
		},
	);
	try {
		for (const plugin of plugins) if (plugin.handles(attributes)) await plugin.mutate?.(attributes, NEVER);
		for (const plugin of plugins) if (plugin.handles(attributes)) await plugin.validate?.(attributes, NEVER);
	} catch (error) {
		if (!(error instanceof StatusError)) throw error;
		return { object: {}, warnings, refused: error.message };
	}
	return { object: attributes.object as unknown as Record<string, unknown>, warnings };
}

/** A pod that needs nothing, but for what is told. */
export const podOf = (spec: object = {}, metadata: object = {}): object => ({
	metadata: { name: 'a', namespace: 'n', ...metadata },
	spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
