import test from 'ava';
import { readAnswer } from './answer.ts';

for (const [text, want] of [
	['{"kind":"A"}', { kind: 'A' }],
	[' {"kind":null}', { kind: null }],
	['kind: A\n', { kind: 'A' }],
	['null', {}],
] as const)
	test(`readAnswer(): ${JSON.stringify(text)}`, (t) => t.deepEqual(readAnswer(text), want));

for (const [text, message] of [
	['{"kind":"A"', /^couldn't get version\/kind; json parse error: unexpected end of JSON input$/],
	['{"apiVersion":5}', /json: cannot unmarshal number into Go struct field \.apiVersion of type string$/],
	['kind: [a]\n', /json: cannot unmarshal array into Go struct field \.kind of type string$/],
	['{"apiVersion":"a/b/c"}', /^unexpected GroupVersion string: a\/b\/c$/],
	['[]', /json: cannot unmarshal array into Go value of type struct \{ APIVersion string /],
	['5', /json: cannot unmarshal number into Go value of type struct/],
] as const)
	test(`readAnswer(): ${JSON.stringify(text)} is refused`, (t) => void t.throws(() => readAnswer(text), { message }));
