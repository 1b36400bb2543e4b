/** Expected texts are those of Go's yaml.v2. */
import test from 'ava';
import { formatYaml } from './yaml.ts';

for (const [value, want] of [
	['a\u0000b', '"a\\0b"'],
	['\u0007\b\v\f\u001b\u007f', '"\\a\\b\\v\\f\\e\\x7F"'],
	['a\rb\t', '"a\\rb\\t"'],
	['a\u0085b', '"a\\Nb"'],
	['a\u00a0b', 'a\u00a0b'],
	['q"\\\u0001', '"q\\"\\\\\\x01"'],
	['😀 x', '"\\U0001F600 x"'],
	['😀\nb', '"\\U0001F600\\nb"'],
	['\ufffe', '"\\uFFFE"'],
	['\ufeffa', '"\\uFEFF\\x61"'],
	['é\u0000', '"é\\0"'],
	['', '""'],
	['yes', '"yes"'],
] as const)
	test(`formatYaml(): ${JSON.stringify(value)} in quotes`, (t) => t.is(formatYaml({ k: value }), `k: ${want}\n`));

test('formatYaml(): a long text in quotes is folded at single spaces, and before several', (t) => {
	const letters = 'a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m';
	t.is(formatYaml({ k: `${letters} n\u0001` }), `k: "${letters}\n  n\\x01"\n`);
	t.is(formatYaml({ k: `${letters}  n\u0001` }), `k: "${letters}\n  \\ n\\x01"\n`);
});
