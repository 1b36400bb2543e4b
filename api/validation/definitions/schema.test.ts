/** Schemas of definitions as tables, and the fields that versions select by: each row is what upstream's validation says of one. */
import test from 'ava';
import { object, root, told } from '../../../test/fakes/told-of-definition.ts';
import { noteEmpty } from '../../sent-empty.ts';

const rules = (...all: object[]): object => ({ 'x-kubernetes-validations': all });
const text = { type: 'string' };

const NO_TYPE =
	'x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
const free = { 'x-kubernetes-preserve-unknown-fields': true };
const always = rules({ rule: 'true' });
for (const [what, schema, places] of [
	['what has no type', root({ a: { ...free, ...always } }), ['$.properties[a]']],
	['the root of no type', { ...free, ...always }, ['$']],
	['a list of it', root({ a: { type: 'array', items: free, ...always } }), ['$.properties[a]']],
	['a map of it', root({ a: { type: 'object', additionalProperties: free, ...always } }), ['$.properties[a]']],
	['a map of anything', root({ a: { type: 'object', additionalProperties: true, ...always } }), []],
	[
		'what is inside of it, where it has rules itself',
		root({ a: { ...free, properties: { b: object({ c: { ...text, ...always } }) }, ...always } }),
		['$.properties[a].properties[b].properties[c]', '$.properties[a]'],
	],
	[
		'what is inside of it, where there are rules around',
		root({ a: { ...free, properties: { b: { ...text, ...always } } } }, always),
		['$.properties[a].properties[b]'],
	],
	['what is inside of it, alone', root({ a: { ...free, properties: { b: { ...text, ...always } } } }), []],
] as const)
	test(`validateCreate(): rules of ${what} have ${places.length > 0 ? 'no type' : 'a type'}`, (t) =>
		t.deepEqual(
			told(schema),
			places.map((place) => `${place}.${NO_TYPE}`),
		));

for (const [metadata, isAllowed] of [
	[{ properties: { name: text, generateName: text } }, true],
	[{ nullable: false, title: '', enum: [] }, true],
	[{ additionalProperties: false }, false],
	[{ additionalProperties: true }, false],
	[{ nullable: true }, false],
	[{ properties: { name: text, labels: {} } }, false],
] as const)
	test(`validateCreate(): metadata of the whole object: ${JSON.stringify(metadata)}`, (t) => {
		const IMPLICIT = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
		const found = told(root({ metadata: { type: 'object', ...metadata } }));
		t.is(found.includes(`$.properties[metadata]: Forbidden: ${IMPLICIT}`), !isAllowed);
	});

const LISTED = 'items: Forbidden: items must be a schema object and not an array';
const ONE_SCHEMA = 'items: must only have a single schema if x-kubernetes-list-type is map';
const NO_FOO = 'type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"';
const UNIQUE = 'uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
const foo = { type: 'foo' };
const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] };
for (const [what, a, want] of [
	['no items of a list', { type: 'array', items: [] }, ['items: Required value: must be specified']],
	['no items of a text', { type: 'string', items: [] }, []],
	['no items of a list with keys', { type: 'array', items: [], ...keyed }, ['items: Required value: must be specified', ONE_SCHEMA]],
	['items one by one', { type: 'array', items: [foo, { uniqueItems: true }] }, [LISTED, `items[0].${NO_FOO}`, `items[1].${UNIQUE}`]],
	['items one by one of a list with keys', { type: 'array', items: [text], ...keyed }, [LISTED, ONE_SCHEMA]],
	[
		'definitions',
		{ type: 'object', definitions: { b: { ...foo, definitions: { c: foo } } } },
		[
			'definitions: Forbidden: definitions is not supported',
			`definitions[b].${NO_FOO}`,
			'definitions[b].definitions: Forbidden: definitions is not supported',
			`definitions[b].definitions[c].${NO_FOO}`,
		],
	],
	[
		'dependencies',
		{ type: 'object', dependencies: { b: foo, c: ['d'] } },
		['dependencies: Forbidden: dependencies is not supported', `dependencies[b].${NO_FOO}`],
	],
] as const)
	test(`validateCreate(): schemas inside of what is not supported: ${what}`, (t) =>
		t.deepEqual(
			told(root({ a })).map((line) => line.replace('$.properties[a].', '').replace(/^items: Invalid value: .*: must/, 'items: must')),
			[...want],
		));

for (const [metadata, isSaid] of [
	['required', true],
	['x-kubernetes-validations', true],
	['enum', false],
	['allOf', false],
] as const)
	test(`validateCreate(): ${metadata} sent empty of the metadata of the whole object`, (t) => {
		const given = { type: 'object' };
		noteEmpty(given, metadata, []);
		t.is(told(root({ metadata: given })).length, isSaid ? 1 : 0);
	});

const A = root({ a: text });
const AB = root({ a: text, b: text });
const notHere = (i: number): string =>
	`spec.versions[${i}].selectableFields: Invalid value: "": may only be set when \`version.schema.openAPIV3Schema\` is not included`;
const NOT_ABOVE = 'spec.selectableFields: Invalid value: "": may only be set when validations.schema is included';
const NO_TEXT = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
for (const [what, parts, want] of [
	[
		'the same of the same schema',
		[
			[A, '.a'],
			[A, '.a'],
		],
		[],
	],
	[
		'each of its own',
		[
			[A, '.a'],
			[AB, '.b'],
		],
		[],
	],
	[
		'the same of two schemas',
		[
			[A, '.a'],
			[AB, '.a'],
		],
		[NOT_ABOVE],
	],
	['one of the same schema alone', [[A, '.a'], [A]], [notHere(0)]],
	[
		'two of the same schema',
		[
			[AB, '.a'],
			[AB, '.b'],
		],
		[notHere(0), notHere(1)],
	],
	['no schema', [[undefined, '.a']], ['spec.versions[0].schema.openAPIV3Schema: Required value', NOT_ABOVE]],
	[
		'what may be anything',
		[[root({ a: { type: 'object', additionalProperties: true } }), '.a.foo']],
		[`spec.selectableFields[0].jsonPath: Invalid value: ".a.foo": ${NO_TEXT}`],
	],
] as readonly (readonly [string, readonly (readonly [object | undefined, string?])[], readonly string[]])[])
	test(`validateCreate(): fields to select by, of versions: ${what}`, (t) => {
		const versions = parts.map(([openAPIV3Schema, jsonPath], i) => ({
			name: `v${i + 1}`,
			served: true,
			storage: i === 0,
			...(openAPIV3Schema === undefined ? {} : { schema: { openAPIV3Schema } }),
			...(jsonPath === undefined ? {} : { selectableFields: [{ jsonPath }] }),
		}));
		t.deepEqual(told({}, {}, { versions }), [...want]);
	});
