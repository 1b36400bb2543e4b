/** What admission plugins are given in tests: a write, and a reader of what is stored. */
import type { KubeObject } from '../../api/resource.ts';
import type { AdmissionAttributes, ObjectReader } from '../../controlplane/apiserver/contracts.ts';

/** Objects by "PLURAL KEY". */
export function reader(stored: Readonly<Record<string, object>>): ObjectReader {
	return {
		get: (resource, key) => stored[`${resource.plural} ${key}`] as never,
		list: (resource) => Object.entries(stored).flatMap(([key, o]) => (key.startsWith(`${resource.plural} `) ? [o] : [])) as never,
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
