import test from 'ava';
import { isBase64 } from './base64.ts';

for (const [text, want] of [
	['', true],
	['YQ==', true],
	['YWI=', true],
	['YWJj', true],
	['YQ', false],
	['YQ=', false],
	['Y===', false],
	['====', false],
	['YQ==YQ==', false],
	['YW_j', false],
	['YW\nI=', false],
] as const)
	test(`isBase64(${JSON.stringify(text)})`, (t) => t.is(isBase64(text), want));

test('isBase64(): of any length', (t) => {
	const text = 'A'.repeat(32 << 20);
	t.true(isBase64(text));
	t.false(isBase64(`${text}A_==`));
});
