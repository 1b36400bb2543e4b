import test from 'ava';
import { warningsOf } from './response-headers.ts';

for (const [name, value, want] of [
	['none', undefined, []],
	['one', '299 - "a"', ['a']],
	['several in one value', '299 - "a, b", 299 kube "c"', ['a, b', 'c']],
	['several values', ['299 - "a"', '299 - "b"'], ['a', 'b']],
	['what is quoted', String.raw`299 - "a \"b\" \\"`, [String.raw`a "b" \ `.trim()]],
	['UTF-8, a character of Node.js for each byte', Buffer.from('299 - "größer ✓"').toString('latin1'), ['größer ✓']],
] as const)
	test(`warningsOf(): ${name}`, (t) => t.deepEqual(warningsOf(value), want));
