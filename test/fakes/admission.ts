/** What admission plugins are given in tests: a write, and a reader of what is stored. */
import type { KubeObject } from '../../api/resource.ts';
import type { AdmissionAttributes, ObjectReader } from '../../controlplane/apiserver/contracts.ts';

/** Objects by "PLURAL KEY", which names those that have no metadata of their own. */
export function reader(stored: Readonly<Record<string, object>>): ObjectReader {
	const of = (plural: string): readonly (readonly [string, KubeObject])[] =>
		Object.entries(stored)
			.filter(([key]) => key.startsWith(`${plural} `))
			.map(([key, object]) => [key.slice(plural.length + 1), { metadata: { name: key.split(/[ /]/).at(-1) }, ...object } as KubeObject]);
	return {
		get: (resource, key) => of(resource.plural).find(([k]) => k === key)?.[1] as never,
		list: (resource, namespace) =>
			of(resource.plural)
				.filter(([k]) => namespace === undefined || k.startsWith(`${namespace}/`))
				.map(([, object]) => object) as never,
		onChange: () => ({ [Symbol.dispose]: () => {} }),
	};
}

/** Jane creates the object, a pod unless told. */
export function attributesOf(object: object, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
	return {
		operation: 'CREATE',
		user: { name: 'jane', uid: '', groups: [], extra: {} },
		...{ group: '', version: 'v1', kind: 'Pod', resource: 'pods', subresource: '', namespace: 'n', name: 'a' },
		object: { metadata: { name: 'a' }, ...structuredClone(object) } as KubeObject,
		oldObject: undefined,
		options: {},
		dryRun: false,
		warn: () => {},
		...more,
	};
}
