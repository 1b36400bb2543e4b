import test from 'ava';
import { goTrim } from './go-trim.ts';

for (const [what, text, want] of [
	['nothing', '', ''],
	['white space alone', ' \t\u0085\u3000', ''],
	['white space around and inside', '\n\u00a0a b\u2028 ', 'a b'],
	['the mark of byte order, which is none', '\ufeff a \ufeff', '\ufeff a \ufeff'],
] as const)
	test(`goTrim(): ${what}`, (t) => t.is(goTrim(text), want));

test('goTrim(): a million blanks inside of a text are passed over', (t) => {
	const text = `a${' '.repeat(1e6)}b`;
	t.is(goTrim(text), text);
});
