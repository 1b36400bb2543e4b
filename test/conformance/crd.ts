/** Definitions of custom resources for tests: one builder, and waiting until what was defined is served. */
import {
	ApiextensionsV1Api,
	type V1CustomResourceDefinition,
	type V1CustomResourceDefinitionVersion,
	type V1JSONSchemaProps,
} from '@kubernetes/client-node';
import { eventually } from '../tools/eventually.ts';
import type { World } from './suite.ts';

export const ANYTHING: V1JSONSchemaProps = { type: 'object', x_kubernetes_preserve_unknown_fields: true };

export interface Custom {
	readonly definition: V1CustomResourceDefinition;
	/** `/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL`, or without a namespace. */
	path(version?: string): string;
	readonly group: string;
	readonly kind: string;
	readonly plural: string;
}

export function version(name: string, schema: V1JSONSchemaProps = ANYTHING, more: object = {}): V1CustomResourceDefinitionVersion {
	return { name, served: true, storage: name === 'v1', schema: { openAPIV3Schema: schema }, ...more };
}

let count = 0;

/** A definition of a group of the test's own. */
export function definition(
	{ namespace }: World,
	versions: V1CustomResourceDefinitionVersion[] = [version('v1')],
	more: Partial<V1CustomResourceDefinition['spec']> & { group?: string } = {},
): Custom {
	const n = ++count;
	const { group = `${namespace}.kubeling.test`, ...rest } = more;
	const names = { plural: `things${n}`, singular: `thing${n}`, kind: `Thing${n}`, listKind: `Thing${n}List` };
	const body: V1CustomResourceDefinition = {
		apiVersion: 'apiextensions.k8s.io/v1',
		kind: 'CustomResourceDefinition',
		metadata: { name: `${names.plural}.${group}`, labels: { 'conformance-test': namespace } },
		spec: { group, names, scope: 'Namespaced', versions, ...rest },
	};
	const inside = body.spec.scope === 'Namespaced' ? `/namespaces/${namespace}` : '';
	const stored = versions.find((v) => v.storage)?.name ?? 'v1';
	return {
		definition: body,
		path: (v = stored) => `/apis/${group}/${v}${inside}/${names.plural}`,
		group,
		kind: names.kind,
		plural: names.plural,
	};
}

/** Defines it, waits until it is served, and removes it with the test. */
export async function defined(world: World, custom: Custom): Promise<Custom> {
	const { api, raw, t } = world;
	await api(ApiextensionsV1Api).createCustomResourceDefinition({ body: custom.definition });
	const name = custom.definition.metadata?.name ?? '';
	t.teardown(() =>
		api(ApiextensionsV1Api)
			.deleteCustomResourceDefinition({ name })
			.catch(() => undefined),
	);
	await established(world, name);
	for (const v of custom.definition.spec.versions)
		if (v.served) await eventually(`${custom.path(v.name)} is served`, async () => (await raw('GET', custom.path(v.name))).code === 200);
	return custom;
}

export function established({ api }: World, name: string): Promise<true> {
	return eventually(`${name} is established`, async () => {
		const { status } = await api(ApiextensionsV1Api).readCustomResourceDefinition({ name });
		return status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True') === true ? true : undefined;
	});
}

/** A custom object's JSON. */
export const thing = (custom: Custom, name: string, more: object = {}, v = 'v1'): Record<string, unknown> => ({
	apiVersion: `${custom.group}/${v}`,
	kind: custom.kind,
	metadata: { name },
	...more,
});
