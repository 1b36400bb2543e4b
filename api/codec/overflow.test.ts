import test from 'ava';
import { overflowError } from './json-text.ts';

for (const [text, number] of [
	['{"a":[1,{"b":1e400}],"c":2e999}', '1e400'],
	['{"a":-1E+400}', '-1E+400'],
	['{"a":1.8e308}', '1.8e308'],
	[`{"a":1${'0'.repeat(400)}}`, `1${'0'.repeat(400)}`],
	['{"a":1e308}', undefined],
	['{"a":1e-400}', undefined],
	['{"a":"1e400"}', undefined],
	['{"a":18446744073709551616}', undefined],
] as const)
	test(`overflowError(): ${text.slice(0, 40)}`, (t) => {
		t.is(overflowError(text), number === undefined ? undefined : `json: cannot unmarshal number ${number} into Go value of type float64`);
	});
