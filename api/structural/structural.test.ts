/** Values and schemas of custom resources, as tables: each row is an answer of an upstream API server. */
import { inspect } from 'node:util';
import test from 'ava';
import { checkRules } from './cel-check.ts';
import { defaultErrors } from './default-rules.ts';
import { rootCost } from './expression-rules.ts';
import { isOfFormat } from './formats.ts';
import type { Schema } from './schema.ts';
import { pruneValue } from './prune.ts';
import { schemaErrors } from './schema-rules.ts';
import { structuralErrors } from './structural-rules.ts';
import { validateValue } from './validate.ts';

const said = (errors: readonly { readonly field: string; readonly message: string }[]): string[] =>
	errors.map(({ field, message }) => `${field}: ${message}`);

for (const [schema, value, want] of [
	[{ type: 'integer' }, 1, []],
	[{ type: 'string' }, 1e30, ['v: Invalid value: "number": v in body must be of type string: "number"']],
	[
		{ type: 'integer', format: 'int32' },
		1.5,
		[
			'v: Invalid value: "float64": v in body must be of type int32: "float64"',
			'<nil>: Invalid value: "": Checked value must be of type integer with format int32 in v',
		],
	],
	[{ type: 'number', multipleOf: 0.5 }, 1, ['v: Invalid value: 0: factor MultipleOf declared for v must be positive: 0']],
	[{ type: 'number', multipleOf: 0.5 }, 1.5, []],
	[
		{ type: 'integer', multipleOf: 0.5, minimum: 1.5, maximum: 0 },
		1,
		[
			'<nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in v',
			'<nil>: Invalid value: "": Minimum boundary value must be of type integer (default format) in v',
			'v: Invalid value: 1: v in body should be greater than or equal to 1.5',
			'v: Invalid value: 1: v in body should be less than or equal to 0',
		],
	],
	[{ type: 'number', enum: [1] }, 1.5, []],
	[{ type: 'number', multipleOf: 2 }, 1e30, ['v: Invalid value: 1e+30: v in body should be a multiple of 2']],
	[{ type: 'integer', format: 'float' }, 1, []],
	[{ type: 'number', maximum: 5 }, 100_000_000_000_000_000_000n, ['v: Invalid value: 1e+20: v in body should be less than or equal to 5']],
	[{ type: 'number', maximum: 9_007_199_254_740_993n }, 9_007_199_254_740_992n, []],
	[
		{ type: 'integer', multipleOf: 2, maximum: 9_007_199_254_740_992 },
		9_007_199_254_740_993n,
		[
			'v: Invalid value: 9007199254740993: v in body should be a multiple of 2',
			'v: Invalid value: 9007199254740993: v in body should be less than or equal to 9007199254740992',
		],
	],
	[{ type: 'integer', multipleOf: 3 }, 9_007_199_254_740_993n, []],
	[
		{ type: 'integer', multipleOf: 0.3 },
		5_000_000,
		[
			'<nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in v',
			'v: Invalid value: 5e+06: v in body should be a multiple of 0.3',
		],
	],
	[
		{ type: 'number', maximum: 1_500_000.5 },
		1_500_001.5,
		['v: Invalid value: 1.5000015e+06: v in body should be less than or equal to 1.5000005e+06'],
	],
	[{ type: 'string', format: 'k8s-dns1035-label' }, 'No.', []],
	[{ type: 'string', format: 'date' }, ['a'], []],
	[{ type: 'number', multipleOf: -2 }, 4, ['v: Invalid value: -2: factor MultipleOf declared for v must be positive: -2']],
	[
		{ type: 'object', minProperties: 2, required: ['a'] },
		{},
		['v: Invalid value: 0: v in body should have at least 2 properties', 'v.a: Required value'],
	],
	[{ type: 'string', maxLength: 1 }, 'ab', ['v: Too long: may not be more than 1 byte']],
	[{ type: 'string', maxLength: -1 }, 'ab', ['v: Too long: value is too long']],
	[{ type: 'string', nullable: true }, null, []],
	[{ type: 'object', additionalProperties: false }, { a: 1 }, ['v: Invalid value: "a": v.a in body is a forbidden property']],
	[{ type: 'object', additionalProperties: false, properties: { a: {} } }, { a: 1 }, []],
	[{ not: { additionalProperties: false } }, { a: 1 }, []],
	[{ not: { additionalProperties: false } }, {}, ['<nil>: Invalid value: "": "v" must not validate the schema (not)']],
	[{ format: 'date-time' }, 5, ['v: Invalid value: "int64": v in body must be of type date-time: "int64"']],
	[{ format: 'date-time' }, 5.5, ['v: Invalid value: "float64": v in body must be of type date-time: "float64"']],
	[{ format: 'date-time' }, { a: 1 }, ['v: Invalid value: "": v in body must be of type date-time: ""']],
	[{ format: 'date-time' }, [1], []],
	[{ format: 'date-time' }, null, []],
	[{ format: 'int32' }, 'a', []],
	[{ type: 'string', nullable: true, enum: ['a', null] }, null, ['v: Unsupported value: null: supported values: "a", "null"']],
	[
		{ type: 'object', required: ['a'], oneOf: [{ required: ['a'] }, { required: ['b'] }] },
		{},
		['<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found none valid', 'v.a: Required value'],
	],
] as readonly (readonly [Schema, unknown, readonly string[]])[])
	test(`validateValue(): ${inspect(value)} by ${inspect(schema)}`, (t) => {
		t.deepEqual(said(validateValue(value, schema, 'v')), want);
	});

for (const [format, good, bad] of [
	[
		'uri',
		['/a b', 'http://', 'x:', 'x:y', '*', 'http://u:p@[::1]:80/a?%zz', 'http://a:/b'],
		['', 'a', ':', 'http://a/%zz', 'http://a b', 'http://a:b', '/%g', '1:2'],
	],
	['email', ['a@b', 'A B <a@b.c>', '<a@b>', '"x y"@b'], ['a', '@', 'a@@b', 'A a@b', 'a@b <a@b>', '<a>']],
	['ipv4', ['1.2.3.4', '01.2.3.4', '::ffff:1.2.3.4'], ['1.2.3', '::1', '::ffff:1.2.3.4%eth0']],
	['ipv6', ['::1', '::ffff:1.2.3.4', '::ffff:01.2.3.4'], ['1.2.3.4', '::1%eth0', '::ffff:256.2.3.4']],
	[
		'cidr',
		['10.0.0.0/8', '010.0.0.0/8', '::ffff:010.0.0.0/128', '10.0.0.0/000008', '::/0'],
		['10.0.0.0/33', '1.2.3/8', '::1%eth0/8', '0256.0.0.0/8', '10.0.0.0/', '10.0.0.0/+8', '10.0.0.0'],
	],
	['rgbcolor', ['rgb(5,0,255)', 'rgb( 10 , 249 , 19 )'], ['rgb(05,0,0)', 'rgb(00,0,0)', 'rgb(256,0,0)', 'rgb(0,0)']],
	['ssn', ['111-11-1111', '111 11-1111'], ['111111111', '111-111111']],
	['hostname', ['foo.bar', 'localhost', 'a-b', 'P1D'], ['2020-01-01', '-foo', 'foo_bar', '1.2.3.4']],
	['mac', ['00:11:22:33:44:55', '0011.2233.4455', '001122334455'], ['zz', '00:11']],
	['duration', ['1h', '1 day', 'P1D', '2h45m'], ['', 'a']],
	[
		'date-time',
		['2020-01-01T00:00:00Z', '2020-01-01t00:00:00.5+01:00', '2020-01-01t00:00:00x5z'],
		['2020-01-01 00:00:00', '2020-01-01', '2020-01-01T25:00:00Z'],
	],
] as const)
	test(`isOfFormat(): ${format}`, (t) => {
		for (const text of good) t.true(isOfFormat(format, text), text);
		for (const text of bad) t.false(isOfFormat(format, text), text);
	});

test('structuralErrors(): an integer or a string may say its type, as the sizes of volume snapshots do', (t) => {
	const schema = { type: 'object', properties: { size: { type: 'string', pattern: '^1$', 'x-kubernetes-int-or-string': true } } } as const;
	t.deepEqual(said(structuralErrors(schema, 's')), []);
});

test('checkRules(): what expressions cannot reach has no rules that are run', (t) => {
	const FALSE = { 'x-kubernetes-validations': [{ rule: 'false' }] };
	const ruled = { type: 'object', ...FALSE } as const;
	const free = { 'x-kubernetes-preserve-unknown-fields': true, properties: { inner: ruled } };
	const metadata = { type: 'object', properties: { name: { type: 'string', ...FALSE }, labels: ruled } } as const;
	const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { metadata } } as const;
	const schema: Schema = { type: 'object', properties: { free, embedded, 'not a name': ruled } };
	const value = { free: { inner: {} }, embedded: { metadata: { name: 'a', labels: {} } }, 'not a name': {} };
	t.deepEqual(
		checkRules(value, schema).map(({ field }) => field),
		['embedded.metadata.name', 'not a name'],
	);
});

test('checkRules(): bytes are read as base64 for URLs, whatever they are validated as', (t) => {
	const data = { type: 'string', format: 'byte' } as const;
	const schema: Schema = { type: 'object', properties: { data }, 'x-kubernetes-validations': [{ rule: 'self.data == b"a"' }] };
	t.deepEqual(checkRules({ data: 'YQ==' }, schema), []);
	t.deepEqual(said(checkRules({ data: 'aa+/' }, schema)), [
		'<nil>: Invalid value: "object": Invalid byte formatted string aa+/: illegal base64 data at input byte 2 evaluating rule: self.data == b"a"',
	]);
});

test('structuralErrors(): types stand outside of alternatives', (t) => {
	const schema: Schema = { type: 'object', properties: { v: { anyOf: [{ type: 'string' }] } } };
	const INSIDE = 's.properties[v].anyOf[0].type: Forbidden: must be empty to be structural';
	const OUTSIDE = 's.properties[v].type: Required value: must not be empty for specified object fields';
	t.deepEqual(said(structuralErrors(schema, 's')), [INSIDE, OUTSIDE]);
	const typed: Schema = { type: 'object', properties: { v: { type: 'string', anyOf: [{ type: 'string' }] } } };
	t.deepEqual(said(structuralErrors(typed, 's')), [INSIDE]);
});

test('structuralErrors(): rules of values stand outside of alternatives; schemaErrors(): a reference is one though it is empty', (t) => {
	const rules = { 'x-kubernetes-validations': [{ rule: 'true' }] };
	const schema = { type: 'object', oneOf: [{ allOf: [rules] }] } as Schema;
	t.deepEqual(said(structuralErrors(schema, 's')), [
		's.oneOf[0].allOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural',
	]);
	const referring = { type: 'object', not: { $ref: '' } } as Schema;
	t.deepEqual(said(schemaErrors(referring, 's', undefined).schema), ['s.not.$ref: Forbidden: $ref is not supported']);
});

test('defaultErrors(): a default is of its schema, and names its type where it is a resource', (t) => {
	const resource: Schema = {
		type: 'object',
		'x-kubernetes-embedded-resource': true,
		'x-kubernetes-preserve-unknown-fields': true,
		default: {},
	};
	t.deepEqual(said(defaultErrors({ type: 'object', properties: { a: { type: 'integer', default: 'x' }, b: resource } }, 's')), [
		's.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"',
		's.properties[b].default.apiVersion: Required value',
		's.properties[b].default.kind: Required value',
	]);
});

test('defaultErrors(): rules hold for new objects and for those that have the default; those of entries are not looked at', (t) => {
	const rules = { 'x-kubernetes-validations': [{ rule: 'self > 5', message: 'no' }] };
	const wrong = { type: 'integer', default: 1, ...rules };
	const list = { type: 'array', items: { type: 'string' }, default: [1] };
	const map = { type: 'object', additionalProperties: { type: 'integer', default: 'x' } };
	t.deepEqual(said(defaultErrors({ type: 'object', properties: { a: wrong, b: list, c: map } } as Schema, 's')), [
		's.properties[a].default: Invalid value: 1: no',
		's.properties[b].default.[0]: Invalid value: "integer": [0] in body must be of type string: "integer"',
	]);
});

test('schemaErrors(): what occurs without a bound costs as often as it fits into a request, and old values are known in atomic maps', (t) => {
	const rules = { 'x-kubernetes-validations': [{ rule: 'self.all(x, x > 0)' }] };
	const entry = { type: 'array', maxItems: 10, items: { type: 'integer' }, ...rules };
	const schema = { type: 'object', properties: { a: { type: 'object', additionalProperties: entry } } } as Schema;
	t.deepEqual(
		said(schemaErrors(schema, 's', rootCost()).expressions).map((text) => text.split(' by factor')[0]),
		['s.properties[a].additionalProperties.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget'],
	);
	const kept = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };
	const atomic = { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: kept } } as Schema;
	t.deepEqual(said(schemaErrors(atomic, 's', rootCost()).expressions), []);
	const other = { ...atomic, 'x-kubernetes-map-type': 'other' } as Schema;
	t.deepEqual(said(schemaErrors(other, 's', rootCost()).expressions), [
		's.properties[a].x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within s',
	]);
});

const dear = { type: 'string', maxLength: 50_000, 'x-kubernetes-validations': [{ rule: 'self.matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaa")' }] };
for (const [what, around, isDear] of [
	['a property', { type: 'object', properties: { b: dear } }, false],
	['a property beside a free map', { type: 'object', additionalProperties: true, properties: { b: dear } }, true],
	['one beside a small map', { type: 'object', additionalProperties: true, maxProperties: 2, properties: { b: dear } }, false],
	['a property of a list', { type: 'array', items: { type: 'string' }, properties: { b: dear } }, true],
	['an item', { type: 'array', items: dear }, true],
	['one of a few', { type: 'array', maxItems: 2, items: dear }, false],
	['an item of what is no list', { type: 'object', items: dear }, false],
	['an entry of what is no map', { type: 'string', additionalProperties: dear }, false],
] as const)
	test(`schemaErrors(): ${what} is ${isDear ? 'as often there as fits' : 'there only so often'}`, (t) => {
		const schema = { type: 'object', properties: { a: around } } as Schema;
		t.is(schemaErrors(schema, 's', rootCost()).expressions.length, isDear ? 1 : 0);
	});

for (const [rule, fails] of [
	["self.namespace == 'a'", 0],
	["self.__namespace__ == 'a'", 0],
	["has(self.namespace) && self.namespace != 'a'", 1],
] as const)
	test(`a reserved word names its field as it is and escaped: ${rule}`, (t) => {
		const schema = { type: 'object', properties: { namespace: { type: 'string' } }, 'x-kubernetes-validations': [{ rule }] };
		t.is(checkRules({ namespace: 'a' }, schema).length, fails);
	});

for (const [name, rule] of [
	['-foo', 'self.__dash__foo'],
	['.foo', 'self.__dot__foo'],
	['/foo', 'self.__slash__foo'],
	['-', 'self.__dash__'],
	['-__a', 'self.__dash____underscores__a'],
] as const)
	test(`the field ${name} is ${rule}`, (t) => {
		const schema = { type: 'object', properties: { [name]: { type: 'string' } }, 'x-kubernetes-validations': [{ rule: `${rule} == 'a'` }] };
		t.deepEqual(said(checkRules({ [name]: 'a' }, schema)), []);
		t.is(checkRules({ [name]: 'b' }, schema).length, 1);
	});

test('rules of custom resources know no authorizer, and nothing of the request', (t) => {
	for (const name of ['authorizer', 'request', 'object', 'namespaceObject', 'params']) {
		const schema = { type: 'object', properties: {}, 'x-kubernetes-validations': [{ rule: `${name} != self` }] };
		t.regex(checkRules({}, schema)[0]?.message ?? '', new RegExp(`undeclared reference to '${name}'`));
	}
});

const keeping = { 'x-kubernetes-preserve-unknown-fields': true };
for (const [what, schema, value, want, dropped] of [
	['a list of what keeps unknown fields', keeping, [{ k: 1 }], [{ k: 1 }], []],
	[
		'items of a list that keeps unknown fields, though not the fields of what they declare',
		{ type: 'array', ...keeping, items: { type: 'object', properties: { a: { type: 'object' } } } },
		[{ k: 1, a: { b: 1 } }],
		[{ k: 1, a: {} }],
		['[0].a.b'],
	],
	['a list of unknown items', { type: 'array' }, [{ k: 1 }], [{}], ['[0].k']],
	['fields beside none else', { type: 'object', additionalProperties: false }, { k: { a: 1 } }, { k: {} }, ['k.a']],
] as const)
	test(`pruneValue(): ${what}`, (t) => {
		const pruned: unknown = structuredClone(value);
		t.deepEqual(pruneValue(pruned, schema), [...dropped]);
		t.deepEqual(pruned, want);
	});
