/** Rules of kinds: built-in ones on whatever decodes, and custom ones with schemas, defaults and rules of their own. */
import { decodeBody } from '../../../api/codec/codec.ts';
import type { KindName } from '../../../api/kind-name.ts';
import type { KubeObject, Resource } from '../../../api/resource.ts';
import { checkRules } from '../../../api/structural/cel-check.ts';
import type { Schema } from '../../../api/structural/schema.ts';
import { validateValue } from '../../../api/structural/validate.ts';
import { checkLists } from '../../../api/structural/lists.ts';
import { validateCreate, validateUpdate } from '../../../api/validation/validation.ts';
import { warningsOnCreate, warningsOnUpdate } from '../../../api/validation/warnings/warnings.ts';
import { decodeCustomBody } from '../../../controlplane/apiserver/custom/decode.ts';
import type { Choose } from '../choose.ts';
import { mustEqual, type Target } from '../fuzz.ts';
import { anyJson, editedJson, objectOf } from '../json.ts';
import { anyKind, objectOfKind } from '../objects.ts';

interface Written {
	readonly kind: KindName;
	readonly object: unknown;
	readonly next: unknown;
}

export const validation: Target<Written> = {
	name: 'validation',
	input(choose) {
		const kind = anyKind(choose);
		const object = objectOfKind(choose, kind);
		return { kind, object, next: choose.chance(70) ? editedJson(choose, object) : objectOfKind(choose, kind) };
	},
	check({ kind, object, next }) {
		const { group, version, kind: name } = kind;
		const read = (value: unknown): KubeObject => readBody(value, kind);
		const old = read(object);
		old.metadata ??= {};
		validateCreate(group, version, name, old, true);
		warningsOnCreate(group, name, old as never);
		const later = read(next);
		later.metadata ??= {};
		validateUpdate(group, version, name, later, old, true);
		validateUpdate(group, version, name, later, old, true, 'status');
		warningsOnUpdate(group, name, later as never, old as never);
		warningsOnUpdate(group, name, later as never, old as never, 'status');
	},
};

function readBody(value: unknown, kind: KindName): KubeObject {
	const body = Buffer.from(JSON.stringify(value));
	return decodeBody(body, 'application/json', kind, { strictness: 'Ignore', warn: () => {} }) as unknown as KubeObject;
}

const CRD: KindName = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
const RESOURCE = { group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true } as unknown as Resource;

interface Defined {
	readonly schema: unknown;
	readonly objects: readonly unknown[];
}

export const schemas: Target<Defined> = {
	name: 'schemas',
	input(choose) {
		const schema = choose.chance(60) ? rootSchema(choose) : editedJson(choose, rootSchema(choose));
		const object = (): unknown => ({
			...(valueFor(choose, schema as Schema, 5) as object),
			apiVersion: 'example.com/v1',
			kind: 'Widget',
			metadata: { name: 'a' },
		});
		const first = object();
		return { schema, objects: [first, choose.chance(50) ? editedJson(choose, first) : object()] };
	},
	check({ schema: given, objects }) {
		const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
		const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: given } }];
		const spec = { group: 'example.com', names, scope: 'Namespaced', versions };
		const object = { apiVersion: 'apiextensions.k8s.io/v1', kind: CRD.kind, metadata: { name: 'widgets.example.com' }, spec };
		const crd = readBody(object, CRD) as KubeObject & { spec: typeof spec };
		const errors = validateCreate(CRD.group, CRD.version, CRD.kind, crd, false);
		const schema = crd.spec.versions[0]?.schema.openAPIV3Schema as Schema | undefined;
		if (errors.length > 0 || schema === undefined) return;
		let old: unknown;
		for (const value of objects) {
			const read = (value: unknown): object =>
				decodeCustomBody(Buffer.from(JSON.stringify(value)), 'application/json', RESOURCE, schema, {
					strictness: 'Ignore',
					warn: () => {},
				});
			const made = read(value);
			mustEqual(read(made), made, 'read again');
			const before = old === undefined ? undefined : { value: old };
			const found = [...validateValue(made, schema, '', before), ...checkLists(made, schema, '')];
			if (found.length === 0) checkRules(made, schema, before);
			old = made;
		}
	},
};

const TYPES = ['object', 'string', 'integer', 'number', 'boolean', 'array'];
const FIELDS = ['a', 'b', 'spec', 'name', 'items', '__proto__', 'constructor', 'x-y'];
const RULES = [
	'self.a == 1',
	'self == oldSelf',
	'has(self.a)',
	'self.all(x, x == self[0])',
	'size(self) < 3',
	'self.matches("^a")',
	'self > 0',
	'true',
	'self.',
];
const PATTERNS = ['^a+$', '(a+)+$', '[', '\\d{1,3}', '(?=a)'];

function rootSchema(choose: Choose): Schema {
	return { type: 'object', properties: properties(choose, 3) };
}

function properties(choose: Choose, depth: number): Record<string, Schema> {
	return objectOf(choose.several(4, () => [choose.pick(FIELDS), schemaOf(choose, depth - 1)] as const)) as Record<string, Schema>;
}

function schemaOf(choose: Choose, depth: number): Schema {
	const made: Record<string, unknown> = { type: depth <= 0 ? 'string' : choose.pick(TYPES) };
	const maybe = (percent: number, fields: () => Record<string, unknown>): void =>
		void (choose.chance(percent) && Object.assign(made, fields()));
	if (made['type'] === 'object') {
		if (choose.chance(70)) made['properties'] = properties(choose, depth);
		else made['additionalProperties'] = choose.chance(80) ? schemaOf(choose, depth - 1) : true;
		maybe(20, () => ({ required: choose.several(2, () => choose.pick(FIELDS)) }));
		maybe(10, () => ({ 'x-kubernetes-preserve-unknown-fields': true }));
		maybe(5, () => ({ 'x-kubernetes-embedded-resource': true }));
		maybe(10, () => ({ 'x-kubernetes-map-type': choose.pick(['atomic', 'granular', 'other']) }));
	}
	if (made['type'] === 'array') {
		made['items'] = schemaOf(choose, depth - 1);
		maybe(30, () => ({ 'x-kubernetes-list-type': choose.pick(['atomic', 'set', 'map']), 'x-kubernetes-list-map-keys': ['a'] }));
		maybe(50, () => ({ maxItems: choose.upTo(5) }));
	}
	if (made['type'] === 'string') {
		maybe(20, () => ({ pattern: choose.pick(PATTERNS) }));
		maybe(20, () => ({ format: choose.pick(['date', 'date-time', 'duration', 'ipv4', 'cidr', 'uuid', 'byte', 'unknown']) }));
		maybe(30, () => ({ maxLength: choose.upTo(50), minLength: choose.upTo(2) }));
		maybe(10, () => ({ enum: ['a', 'b'] }));
	}
	if (made['type'] === 'integer' || made['type'] === 'number') {
		maybe(20, () => ({ minimum: choose.pick([0, -1, 1.5]), multipleOf: choose.pick([1, 0.1, 0, -2]) }));
		maybe(10, () => ({ maximum: 10, exclusiveMaximum: true }));
	}
	maybe(10, () => ({ nullable: true }));
	maybe(15, () => ({ default: valueFor(choose, made, 3) }));
	maybe(5, () => ({ type: undefined, 'x-kubernetes-int-or-string': true }));
	maybe(10, () => ({ [choose.pick(['allOf', 'anyOf', 'oneOf'])]: [{ minimum: 1 }, { required: ['a'] }, { not: { pattern: '^b' } }] }));
	maybe(20, () => ({ 'x-kubernetes-validations': choose.several(2, () => ({ rule: choose.pick(RULES), message: 'no' })) }));
	return made;
}

function valueFor(choose: Choose, schema: Schema | undefined, depth: number): unknown {
	if (typeof schema !== 'object' || schema === null || depth <= 0 || choose.chance(8)) return anyJson(choose, 1);
	switch (schema.type) {
		case 'object': {
			const fields = typeof schema.properties === 'object' && schema.properties !== null ? Object.entries(schema.properties) : [];
			const chosen = fields.filter(() => choose.chance(80)).map(([key, inner]) => [key, valueFor(choose, inner, depth - 1)] as const);
			return objectOf([...chosen, ...choose.several(2, () => [choose.pick(FIELDS), anyJson(choose, 1)] as const)]);
		}
		case 'array':
			return choose.several(4, () => valueFor(choose, schema.items, depth - 1));
		case 'string':
			return choose.pick(['a', 'aaa', 'b', '', '2026-01-02', '10.0.0.1', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!']);
		case 'integer':
			return choose.pick([0, 1, -1, 5, 2 ** 53 - 1]);
		case 'number':
			return choose.pick([0, 0.1, 1.5, -3, 1e300]);
		case 'boolean':
			return choose.chance(50);
		default:
			return anyJson(choose, 2);
	}
}
