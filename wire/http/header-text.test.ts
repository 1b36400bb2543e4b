import test from 'ava';
import { fromHeader, toHeader } from './header-text.ts';

for (const [text, value] of [
	['', ''],
	['plain', 'plain'],
	['größe', 'grÃ¶Ã\u009fe'],
	['✓', 'â\u009c\u0093'],
] as const)
	test(`"${text}" goes through a header`, (t) => {
		t.is(toHeader(text), value);
		t.is(fromHeader(value), text);
	});
