/** Objects of built-in kinds, made from the contract: fields that exist, with values of their type, mostly good ones. */
import { schemaOfKind, type EncodedType, type FieldSchema, type Scalar, type StructType, type TypeSchema } from '../../api/schema.ts';
import { RESOURCES } from '../../api/resources.ts';
import type { KindName } from '../../api/kind-name.ts';
import type { Choose } from './choose.ts';
import { anyJson, objectOf } from './json.ts';
import { NASTY } from './text.ts';

type Json = Record<string, unknown>;

/** Kinds that people meet most, several times. */
const KINDS: readonly KindName[] = [
	...['Pod', 'Service', 'Node', 'ConfigMap', 'Secret'].map((kind) => ({ group: '', version: 'v1', kind })),
	...['Deployment', 'StatefulSet', 'DaemonSet'].map((kind) => ({ group: 'apps', version: 'v1', kind })),
	...['Job', 'CronJob'].map((kind) => ({ group: 'batch', version: 'v1', kind })),
	{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
	...RESOURCES.map(({ group, version, kind }) => ({ group, version, kind })).filter(
		({ group, version, kind }) => schemaOfKind(group, version, kind) !== undefined,
	),
];

export function anyKind(choose: Choose): KindName {
	return choose.pick(KINDS);
}

export function objectOfKind(choose: Choose, { group, version, kind }: KindName): Json {
	const type = schemaOfKind(group, version, kind) as StructType;
	return { ...structOf(choose, type, 6), apiVersion: group === '' ? version : `${group}/${version}`, kind };
}

function structOf(choose: Choose, type: StructType, depth: number): Json {
	const names = [...type.fields.keys()];
	if (names.length === 0) return {};
	const chosen = new Set(choose.several(6, () => choose.pick(names)));
	for (const name of type.required) if (choose.chance(90)) chosen.add(name);
	if (type.fields.has('spec') && choose.chance(80)) chosen.add('spec');
	const fields = [...chosen].map((name) => type.fields.get(name)).filter((field) => field !== undefined);
	return objectOf(fields.map((field) => [field.name, fieldOf(choose, field, depth - 1)] as const));
}

function fieldOf(choose: Choose, field: FieldSchema, depth: number): unknown {
	if (choose.chance(2)) return null;
	const one = (): unknown => valueOf(choose, field.type, depth, field.name);
	if (field.shape === 'single') return one();
	if (depth <= 0) return field.shape === 'list' ? [] : {};
	if (field.shape === 'list') return choose.several(4, one);
	return objectOf(choose.several(4, () => [choose.pick(NAMES), one()] as const));
}

const NAMES = [
	'a',
	'app',
	'b',
	'web',
	'example.com/role',
	'kubernetes.io/os',
	'metadata.name',
	'cpu',
	'memory',
	'A_B',
	'x'.repeat(64),
	'-a',
	'',
];
const TEXTS = [
	...[
		'a',
		'web',
		'default',
		'v1',
		'nginx:1.27',
		'10.0.0.1',
		'fd00::1',
		'10.0.0.0/24',
		'/data',
		'example.com',
		'Always',
		'Never',
		'ClusterIP',
		'None',
	],
	...[
		'TCP',
		'Exists',
		'In',
		'Equal',
		'RollingUpdate',
		'*/5 * * * *',
		'self.a == 1',
		'object',
		'string',
		'Namespaced',
		'kubernetes.io/tls',
		'*',
	],
];
const TIMES = ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000001Z', '2026-01-02T03:04:05+02:00', '0001-01-01T00:00:00Z', 'yesterday'];
const QUANTITIES: readonly unknown[] = ['1', '100m', '1Gi', '0', '1.5', '-1', '1e3', '12E', '0.1n', 5, '1ki', ''];

function valueOf(choose: Choose, type: TypeSchema, depth: number, name: string): unknown {
	switch (type.form) {
		case 'scalar':
			return type.enum !== undefined && choose.chance(90) ? choose.pick(type.enum) : scalarOf(choose, type.scalar, name);
		case 'encoded':
			return encodedOf(choose, type);
		case 'struct':
			return depth <= 0 ? {} : structOf(choose, type, depth);
	}
}

function scalarOf(choose: Choose, scalar: Scalar, name: string): unknown {
	switch (scalar) {
		case 'string':
			return choose.chance(5) ? choose.pick(NASTY) : choose.pick(name.endsWith('ame') || name === 'key' ? NAMES : TEXTS);
		case 'bool':
			return choose.chance(50);
		case 'int32':
			return choose.pick([0, 1, 80, 65536, -1, 2 ** 31 - 1, -(2 ** 31)]);
		case 'int64':
			return choose.pick([0, 1, 30, -1, 2 ** 53 - 1, -(2 ** 53) + 1]);
		case 'float64':
			return choose.pick([0, 1.5, -2, 1e300]);
		case 'bytes':
			return choose.pick(['', 'YQ==', 'AAECAw==', '+/8=']);
		case 'any':
			return anyJson(choose, 2);
	}
}

function encodedOf(choose: Choose, { encoding }: EncodedType): unknown {
	switch (encoding) {
		case 'time':
		case 'microTime':
			return choose.pick(TIMES);
		case 'duration':
			return choose.pick(['0s', '1m30s', '-5ms', '1h', 'soon']);
		case 'quantity':
			return choose.pick(QUANTITIES);
		case 'intOrString':
			return choose.pick<unknown>([0, 80, 'http', '25%', '-1%', -1]);
		case 'rawExtension':
			return choose.pick<unknown>([{}, { apiVersion: 'v1', kind: 'ConfigMap' }, { a: [1] }]);
		case 'fieldsV1':
			return choose.pick<unknown>([{}, { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } }, { 'k:{"a":1}': {} }, { 'v:1': {} }]);
		case 'json':
		case 'items':
		case 'groupVersion':
		case 'schemaOrBool':
		case 'schemaOrArray':
		case 'schemaOrStringArray':
		case 'unknown':
			return choose.pick<unknown>([{}, true, 'a', [], null, { type: 'string' }]);
	}
}
