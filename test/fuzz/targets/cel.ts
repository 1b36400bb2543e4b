/** CEL: whatever is written, it does not compile, fails, costs too much or gives a value; and gives it again. */
import { compile, environment, evaluated } from '../../../api/cel/environment.ts';
import { CostExceeded, EvalError } from '../../../api/cel/errors.ts';
import { CompileError } from '../../../api/cel/issues.ts';
import { fromJson, toJson } from '../../../api/cel/json.ts';
import { DYN, INT, listOf, mapOf, STRING, type Type } from '../../../api/cel/types.ts';
import type { Value } from '../../../api/cel/values.ts';
import { mustEqual, type Target } from '../fuzz.ts';
import { anyJson, objectOf } from '../json.ts';
import { edited, words } from '../text.ts';

const VARIABLES: Readonly<Record<string, Type>> = { self: DYN, xs: listOf(INT), labels: mapOf(STRING, STRING), text: STRING, n: INT };
const env = environment({ variables: VARIABLES });

const EXPRESSIONS = [
	'self.a == 1 && has(self.b)',
	'xs.all(x, x > 0) || xs.exists_one(y, y == n)',
	'xs.map(x, x * 2).filter(x, x % 3 == 0).size() < 10',
	'labels.all(k, k.startsWith("a") && labels[k].matches("^[a-z]+$"))',
	'text.split(",").map(s, s.trim()).join("-").lowerAscii() != ""',
	'quantity("1Gi").isGreaterThan(quantity(text))',
	'duration("1h30m") < duration("2h") && timestamp("2026-01-02T03:04:05Z").getFullYear() == 2026',
	'self.?a.orValue(1) + n',
	'cidr("10.0.0.0/8").containsIP(ip(text))',
	'{"a": [1, 2u, 3.5], text: b"\\x00"}',
	'size(text) > 3 ? string(n) : text + text',
	'xs.sum() / n - xs.max() * xs.indexOf(1)',
	'text.find("[0-9]+").replace("1", "2", 1).reverse()',
	'type(self) == map && dyn(self).a in xs',
	'url("https://a.example/b?c=d").getQuery()["c"][0]',
	'semver("1.2.3").isLessThan(semver("1.10.0"))',
	'[[1],[2,3]].flatten() == sets.intersects(xs, [1]).toString()',
	'xs.sortBy(x, -x).slice(0, 2) == [3, 2]',
	'optional.of(text).hasValue() ? "%s-%d".format([text, n]) : base64.encode(b"a")',
];
const VOCABULARY = [
	...[
		'self',
		'xs',
		'labels',
		'text',
		'n',
		'.a',
		'.?b',
		'[0]',
		'[?1]',
		'("a")',
		'(',
		')',
		'[',
		']',
		'{',
		'}',
		',',
		':',
		'?',
		'!',
		'-',
		'+',
		'*',
		'/',
		'%',
	],
	...[
		'==',
		'!=',
		'<',
		'<=',
		'&&',
		'||',
		' in ',
		'1',
		'0',
		'-9223372036854775808',
		'9223372036854775807',
		'18446744073709551615u',
		'1.5',
		'1e308',
	],
	...[
		'"a"',
		"r'\\'",
		'b"\\xff"',
		'"""x"""',
		'true',
		'null',
		'.map(x, x)',
		'.filter(x, x)',
		'.all(k, v, true)',
		'.size()',
		'.matches("(a+)+$")',
		'has(self.a)',
	],
	...[
		'xs.map(x, xs.map(y, xs))',
		'duration("1s")',
		'timestamp("x")',
		'quantity("1")',
		'int(',
		'string(',
		'double(',
		'type(',
		'.replace("", "aaaa")',
		'// x\n',
	],
];

interface Expression {
	readonly source: string;
	readonly json: Readonly<Record<string, unknown>>;
}

export const cel: Target<Expression> = {
	name: 'cel',
	refusals: [CompileError, EvalError, CostExceeded],
	input: (choose) => ({
		source: edited(choose, choose.chance(70) ? choose.pick(EXPRESSIONS) : words(choose, VOCABULARY, 12), VOCABULARY),
		json: {
			self: anyJson(choose, 2),
			xs: choose.several(5, () => choose.pick([0, 1, 2, 3, -1, 2 ** 53 - 1])),
			labels: objectOf(choose.several(3, () => [choose.pick(['a', 'b', '__proto__']), choose.pick(['x', 'y1', ''])] as const)),
			text: choose.pick(['', 'a,b', '10.1.2.3', '5Gi', 'a'.repeat(200), '\ud800', 'é']),
			n: choose.pick([0, 1, -1, 2 ** 53 - 1]),
		},
	}),
	check({ source, json }) {
		const program = compile(env, source);
		const variables = (name: string): Value | undefined => (Object.hasOwn(json, name) ? fromJson(json[name], VARIABLES[name]) : undefined);
		program.estimate();
		const [first, second] = [evaluated(program, variables, 1_000_000), evaluated(program, variables, 1_000_000)];
		mustEqual(shown(second), shown(first), 'evaluated again');
		mustEqual(second.cost, first.cost, 'cost again');
		if ('error' in first) throw first.error;
	},
};

function shown(outcome: ReturnType<typeof evaluated>): unknown {
	if ('error' in outcome) return String(outcome.error);
	try {
		return toJson(outcome.value);
	} catch (error) {
		return String(error);
	}
}
