/** What an update leaves as it was: which old value a new one stands for, and what becomes of failures there. Rows are upstream's answers. */
import test from 'ava';
import { checkRules } from './cel-check.ts';
import { checkLists } from './lists.ts';
import type { Schema } from './schema.ts';
import { validateValue } from './validate.ts';

const rules = (rule: string, more: object = {}): object => ({ 'x-kubernetes-validations': [{ rule, message: 'no', ...more }] });
const list = (items: object, more: object = {}): object => ({ type: 'array', items, ...more });
const root = (a: object): Schema => ({ type: 'object', properties: { a, b: { type: 'integer' } } }) as Schema;
const map = (keys: readonly string[]): object => ({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
const NULLABLE = { type: 'object', properties: { x: { type: 'integer', nullable: true } } };
const named = (more: object = {}): object => ({ type: 'object', properties: { n: { type: 'string' }, v: { type: 'integer' } }, ...more });

for (const [name, schema, old, value, errors, warnings] of [
	[
		'an item of an unchanged atomic list warns',
		root(list({ type: 'integer', ...rules('self > 5') })),
		{ a: [1], b: 1 },
		{ a: [1], b: 2 },
		[],
		['a[0]: Invalid value: 1: no'],
	],
	[
		'an item of a changed atomic list fails, also the one that was there',
		root(list({ type: 'integer', ...rules('self > 5') })),
		{ a: [1] },
		{ a: [1, 9] },
		['a[0]: Invalid value: 1: no'],
		[],
	],
	[
		'an unchanged item of a keyed list warns, wherever it went',
		root(list(named(rules('self.v > 5')), map(['n']))),
		{
			a: [
				{ n: 'x', v: 1 },
				{ n: 'y', v: 9 },
			],
		},
		{
			a: [
				{ n: 'y', v: 8 },
				{ n: 'x', v: 1 },
			],
		},
		[],
		['a[1]: Invalid value: no'],
	],
	...(
		[
			['oldSelf == self', []],
			['has(oldSelf.x)', ['a: Invalid value: no']],
		] as const
	).map(
		([rule, errors]) =>
			[
				`a field that is null is none: ${rule}`,
				root({ ...NULLABLE, ...rules(rule) }),
				{ a: { x: null } },
				{ a: { x: null } },
				errors,
				[],
			] as const,
	),
	...(
		[
			['oldSelf.value() == self', ['a: Invalid value: no']],
			['has(oldSelf.value().x)', []],
		] as const
	).map(
		([rule, errors]) =>
			[
				`what an optional holds has its nulls: ${rule}`,
				root({ ...NULLABLE, ...rules(rule, { optionalOldSelf: true }) }),
				...[{ a: { x: null } }, { a: { x: null } }, errors, []],
			] as const,
	),
	[
		'a rule that compares is never let be',
		root({ type: 'integer', ...rules('self != oldSelf') }),
		{ a: 1 },
		{ a: 1 },
		['a: Invalid value: 1: no'],
		[],
	],
	[
		'old and new belong together inside of an atomic map',
		root({ type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'integer', ...rules('self == oldSelf') } }),
		{ a: { k: 1 } },
		{ a: { k: 2 } },
		['a[k]: Invalid value: 2: no'],
		[],
	],
	...(
		[
			['string', [1], 'string, got []interface {}'],
			['number', 'x', 'float, got string'],
			['integer', 1.5, 'int, got float64'],
			['boolean', {}, 'bool, got map[string]interface {}'],
			['array', true, 'an array for the provided schema with type=array'],
			['object', 1, 'a map for the provided schema with type=object'],
		] as const
	).map(
		([type, value, why]) =>
			[
				`what is no ${type} is no value`,
				root({ type, ...(type === 'array' ? { items: { type: 'string' } } : {}), ...rules('self == self') }),
				undefined,
				{ a: value },
				[`a: Invalid value: "${type}": invalid data, expected ${why} evaluating rule: no`],
				[],
			] as const,
	),
	[
		'what is no integer nor a string is no value of the two',
		root({ 'x-kubernetes-int-or-string': true, ...rules('self == self') }),
		undefined,
		{ a: true },
		['a: Invalid value: "": invalid data, expected XIntOrString value to be either a string or integer evaluating rule: no'],
		[],
	],
	[
		'a field of no type that one of two has makes them differ',
		root(
			list(
				{ type: 'object', properties: { c: { type: 'integer' }, p: { 'x-kubernetes-preserve-unknown-fields': true } } },
				rules('self[0] == self[1]'),
			),
		),
		undefined,
		{ a: [{ p: {} }, { c: 0 }] },
		['a: Invalid value: no'],
		[],
	],
	[
		'a duplicate shows its value, and a field path is normalized',
		root(named({ ...rules('self.v > 5', { reason: 'FieldValueDuplicate', fieldPath: '.v' }) })),
		undefined,
		{ a: { v: 1 } },
		['a.v: Duplicate value'],
		[],
	],
	[
		'a scalar that is told a duplicate is shown',
		root({ type: 'integer', ...rules('self > 5', { reason: 'FieldValueDuplicate' }) }),
		undefined,
		{ a: 1 },
		['a: Duplicate value: 1'],
		[],
	],
	[
		'an entry is named by its key, a quoted step as what it is',
		root({ type: 'object', additionalProperties: named({ ...rules('self.v > 5', { fieldPath: "['v']" }) }) }),
		undefined,
		{ a: { 'x.y': { v: 1 } } },
		['a[x.y].v: Invalid value: no'],
		[],
	],
	[
		'a message sees no optional of the old value',
		root({
			type: 'integer',
			'x-kubernetes-validations': [
				{
					rule: '!oldSelf.hasValue() && self > 5',
					optionalOldSelf: true,
					message: 'plain',
					messageExpression: "oldSelf.hasValue() ? 'a' : 'b'",
				},
			],
		}),
		undefined,
		{ a: 1 },
		['a: Invalid value: 1: plain'],
		[],
	],
] as const)
	test(`checkRules(): ${name}`, (t) => {
		const warned: string[] = [];
		const found = checkRules(value, schema, old === undefined ? undefined : { value: old }, { warn: (text) => warned.push(text) });
		t.deepEqual(
			found.map(({ field, message }) => `${field}: ${message}`),
			errors,
		);
		t.deepEqual(warned, warnings);
	});

test('validateValue(): a keyed list whose items only changed places is as it was; a resource names its version anew', (t) => {
	const schema = root(list(named({ required: ['z'] }), map(['n'])));
	const items = [{ n: 'x' }, { n: 'y' }];
	t.deepEqual(validateValue({ a: items.toReversed() }, schema, '', { value: { a: items } }), []);
	t.is(validateValue({ a: items.toReversed() }, schema, '').length, 2);
	const versioned = { type: 'object', properties: { kind: { type: 'string', enum: ['A'] } } } as const;
	t.is(validateValue({ kind: 'B', a: 1 }, versioned, '', { value: { kind: 'B' } }).length, 1);
});

for (const [name, schema, value, errors] of [
	[
		'a value is told where it stands for the second time',
		list({ type: 'integer' }, { 'x-kubernetes-list-type': 'set' }),
		[1, 1, 1],
		['[1]: Duplicate value: 1'],
	],
	[
		'members in any order',
		list({ type: 'object' }, { 'x-kubernetes-list-type': 'set' }),
		[
			{ a: 1, b: 2 },
			{ b: 2, a: 1 },
		],
		['[1]: Duplicate value: {"a":1,"b":2}'],
	],
	['numbers and texts are apart', list({ type: 'object' }, { 'x-kubernetes-list-type': 'set' }), [1, '1'], []],
	[
		'keyed items are objects',
		list(named(), map(['n'])),
		[{ n: 'a' }, 3, { n: 'a' }],
		['[1]: Invalid value: 3: must be an object for an array of list-type map'],
	],
	['items without keys are the same', list(named(), map(['n'])), [{ v: 1 }, { v: 2 }], ['[1]: Duplicate value: {}']],
	[
		'inside of entries',
		{ type: 'object', additionalProperties: list({ type: 'integer' }, { 'x-kubernetes-list-type': 'set' }) },
		{ k: [1, 1] },
		['[k][1]: Duplicate value: 1'],
	],
] as const)
	test(`checkLists(): ${name}`, (t) => {
		t.deepEqual(
			checkLists(value, schema as Schema, '').map(({ field, message }) => `${field}: ${message}`),
			errors,
		);
	});

test('checkRules(): items of no type in a list by itself, as a default is, cannot have rules', (t) => {
	const items: Schema = { 'x-kubernetes-preserve-unknown-fields': true, ...rules('true') };
	const said = checkRules([1], { type: 'array', items }, undefined, { isResource: false });
	t.deepEqual(
		said.map(({ field, message }) => `${field}: ${message}`),
		['[0]: Invalid value: "": rule compiler initialization error: failed to convert to declType for CEL validation rules'],
	);
	const inner = { type: 'object', properties: { a: { type: 'array', items } } };
	t.deepEqual(checkRules({ a: [1] }, inner), [], 'nor are they looked at where nothing names them');
});
