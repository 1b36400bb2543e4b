/** Paths of fields as tables: each row is what upstream makes of one. */
import test from 'ava';
import { fieldAt } from './field-path.ts';
import type { Schema } from './schema.ts';

const TEXT: Schema = { type: 'string' };
const properties = Object.fromEntries(["a'b", 'a\nb', 'a\\b', 'a"b', 'x', '', 'a\\'].map((name) => [name, TEXT]));
const schema: Schema = {
	type: 'object',
	properties: {
		...properties,
		any: { type: 'object', additionalProperties: true },
		none: { type: 'object', additionalProperties: false },
		map: { type: 'object', properties: {}, additionalProperties: TEXT },
		both: { type: 'object', properties: { x: TEXT }, additionalProperties: true },
	},
};

for (const [path, want] of [
	['.x', 'x'],
	["['x']", 'x'],
	["['a\\'b']", "a'b"],
	["['a\\nb']", 'a\nb'],
	["['a\\\\b']", 'a\\b'],
	["['a\"b']", 'a"b'],
	["['']", ''],
	['.map.foo', 'map[foo]'],
	["['map']['foo']", 'map[foo]'],
	['.any.foo', 'any[foo]'],
	['.none.foo', 'none[foo]'],
	['.both.x', 'both.x'],
] as const)
	test(`fieldAt(): ${path} is ${JSON.stringify(want)}`, (t) => {
		const found = fieldAt(path, schema, true);
		t.is('path' in found ? found.path : found.error, want);
	});

for (const [path, why] of [
	["['\\x']", 'invalid string literal: invalid escape char \\x'],
	["['a\\u0041b']", 'invalid string literal: invalid escape char \\u'],
	["['a\\\\']", "expected single quoted string but got 'a\\\\']"],
	["['x", "expected single quoted string but got 'x"],
	["['x'", 'unexpected end of JSON path'],
	["['x'y", 'expected ] but got y'],
	['[x]', 'expected single quoted string but got x'],
	['.both.foo', 'does not refer to a valid field'],
	['.x.foo', 'does not refer to a valid field'],
	['.any.foo.bar', 'does not refer to a valid field'],
] as const)
	test(`fieldAt(): ${path} is none: ${why}`, (t) => t.deepEqual(fieldAt(path, schema, true), { error: why }));
