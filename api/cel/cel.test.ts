import test from 'ava';
import { ArrayList } from './values.ts';
import { compile, environment, evaluated } from './environment.ts';
import { fromJson, toJson } from './json.ts';
import { DYN, INT, listOf, mapOf, objectOf, STRING } from './types.ts';

const self = objectOf('object', { a: INT, b: STRING, l: listOf(STRING), m: mapOf(STRING, INT) });
const env = environment({ variables: { self, d: DYN } });
const values = {
	self: fromJson({ a: 3, b: 'xy', l: ['a', 'b'], m: { k: 1 } }, self),
	d: fromJson({ x: [1, 2.5, { y: null }], n: 5 }),
} as const;
const variables = (name: string) => values[name as keyof typeof values];

function result(source: string): unknown {
	const outcome = evaluated(compile(env, source), variables, 1_000_000);
	if ('error' in outcome) return `error: ${outcome.error.message}`;
	const json = toJson(outcome.value);
	return typeof json === 'bigint' ? String(json) : json;
}

for (const [source, want] of [
	['self.a + 1', 4],
	['self.l.all(x, x.size() == 1)', true],
	['self.l.map(x, x != "a", x + "!")', ['b!']],
	['self.l.exists(x, x == "b" || 1 / 0 == 1)', true],
	['self.l.exists_one(x, x == "a")', true],
	['self.l.transformMap(i, v, v).size()', 2],
	['d.?zz.orValue(7)', 7],
	['self.l[?0].optMap(x, x + "q").value()', 'aq'],
	['self.m.?z.hasValue()', false],
	['has(self.m.z)', false],
	['self.m.z', 'error: no such key: z'],
	['d.x[5]', 'error: index out of bounds: 5'],
	['10 / 0', 'error: division by zero'],
	['d.n == 5.0', true],
	['1 < 1.5', true],
	['d.x + 1', 'error: no such overload'],
	['9223372036854775807 + 1', 'error: integer overflow'],
	["{'a': [1, 2]}.a[1]", 2],
	["duration('1h30m').getMinutes()", 90],
	["duration('1500ms').getMilliseconds()", 1500],
	["timestamp('2020-02-29T10:00:00Z').getFullYear()", 2020],
	["string(1.5) + string(true) + string(duration('90s'))", '1.5true90s'],
	['type(d.n) == int && type(d.x) == list', true],
	["'abc'.matches('^a.c$')", true],
	['false && 1 / 0 == 1', false],
	['1 / 0 == 1 || true', true],
] as const)
	test(`evaluates ${source}`, (t) => t.deepEqual(result(source), want));

for (const [source, want] of [
	[
		'self +',
		"ERROR: <input>:1:7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self +\n | ......^",
	],
	[
		'self.a = 1',
		"ERROR: <input>:1:8: Syntax error: token recognition error at: '= '\n | self.a = 1\n | .......^\nERROR: <input>:1:10: Syntax error: extraneous input '1' expecting <EOF>\n | self.a = 1\n | .........^",
	],
	[
		'',
		"ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
	],
	['..', "ERROR: <input>:1:2: Syntax error: no viable alternative at input '..'\n | ..\n | .^"],
	['self + . 1', "ERROR: <input>:1:10: Syntax error: no viable alternative at input '. 1'\n | self + . 1\n | .........^"],
	[
		"'",
		"ERROR: <input>:1:1: Syntax error: token recognition error at: '''\n | '\n | ^\nERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | '\n | .^",
	],
	[
		'[',
		"ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', ']', '{', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | [\n | .^",
	],
	['self.c == 1', "ERROR: <input>:1:5: undefined field 'c'\n | self.c == 1\n | ....^"],
	["self.a + 'x'", "ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(int, string)'\n | self.a + 'x'\n | .......^"],
	['foo(1)', "ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')\n | foo(1)\n | ...^"],
	[
		'self.b.startsWith(1)',
		"ERROR: <input>:1:18: found no matching overload for 'startsWith' applied to 'string.(int)'\n | self.b.startsWith(1)\n | .................^",
	],
	['[1, "a"]', "ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, \"a\"]\n | ....^"],
	["duration('zz')", "ERROR: <input>:1:10: invalid duration argument\n | duration('zz')\n | .........^"],
	['has(self.c)', "ERROR: <input>:1:4: undefined field 'c'\n | has(self.c)\n | ...^"],
	[
		'1 && self.b',
		"ERROR: <input>:1:1: expected type 'bool' but found 'int'\n | 1 && self.b\n | ^\nERROR: <input>:1:10: expected type 'bool' but found 'string'\n | 1 && self.b\n | .........^",
	],
	["url('x').y", "ERROR: <input>:1:9: unexpected failed resolution of 'kubernetes.URL'\n | url('x').y\n | ........^"],
	["ip('::1').y", "ERROR: <input>:1:10: type 'net.IP' does not support field selection\n | ip('::1').y\n | .........^"],
	['1.0 == 1', "ERROR: <input>:1:5: found no matching overload for '_==_' applied to '(double, int)'\n | 1.0 == 1\n | ....^"],
] as const)
	test(`refuses ${source}`, (t) => {
		const error = t.throws(() => compile(env, source));
		t.is(error.message, want);
	});

for (const [source, cost] of [
	['self.a == 3', 3],
	['has(self.a)', 1],
	['[1, 2]', 0],
	['[1, self.a]', 12],
	['{"a": 1}', 0],
	['int("1")', 0],
	['self.a in [1, 2]', 2],
	['[1, 2][0]', 2],
	['[self.a][0]', 14],
	['true ? self.a : 1', 1],
	['[1, 2, 3, 4][self.a]', 3],
	['dyn(1) == 1', 1],
	['[3, 1].sort()', 19],
	['["b", "a"].sort()', 19],
	['[1, 2].slice(0, 1)', 12],
	['[1].map(x, x)', 14],
	['"abc".indexOf("c")', 0],
	['"a,b".split(",").join("-")', 2],
	['sets.equivalent([1], [1, 2])', 5],
	['optional.of(1).orValue(2)', 1],
	['self.b.startsWith("x")', 3],
] as const)
	test(`${source} costs ${cost}`, (t) => t.is(evaluated(compile(env, source), variables, 100).cost, cost));

test('an expression stops when its budget is used up', (t) => {
	const outcome = evaluated(compile(env, '[1,2,3,4,5,6,7,8,9].all(x, x < 10 && true)'), variables, 20);
	t.is('error' in outcome ? outcome.error.message : '', 'operation cancelled: actual cost limit exceeded');
});

for (const [what, value, source, want] of [
	['a text', 'x', 'has(d.a)', false],
	['null', null, 'has(d.a)', false],
	['a text', 'x', 'd.?a.hasValue()', false],
	['a text', 'x', 'd.a', 'error: no such key: a'],
	['a number', 5n, 'd["a"]', 'error: no such key: a'],
	['a list', new ArrayList([1n]), 'has(d.a)', "error: unsupported index type 'string' in list"],
	['a list', new ArrayList([1n]), 'd["a"]', "error: unsupported index type 'string' in list"],
] as const)
	test(`fields of ${what}: ${source}`, (t) => {
		const outcome = evaluated(compile(env, source), (name) => (name === 'd' ? value : undefined), 100);
		t.is('error' in outcome ? `error: ${outcome.error.message}` : outcome.value, want);
	});
