import test from 'ava';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const token = (text: string): string => Buffer.from(text).toString('base64url');
const v1 = (fields: object): string => token(JSON.stringify({ v: 'meta.k8s.io/v1', ...fields }));

for (const position of [
	{ revision: 7n, after: 'default/a' },
	{ revision: -1n, after: 'a' },
])
	test(`a token of ${position.after} at ${position.revision} says so again`, (t) => {
		t.deepEqual(decodeContinue(encodeContinue(position)), position);
	});

for (const [given, why] of [
	['!!!', 'illegal base64 data at input byte 0'],
	['e30=', 'illegal base64 data at input byte 3'],
	['Yé', 'illegal base64 data at input byte 1'],
	['AAAAA', 'illegal base64 data at input byte 4'],
	['abc', "invalid character 'i' looking for beginning of value"],
	[token('{"v":1'), 'unexpected end of JSON input'],
	[token('[1]'), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
	[token('{"v":5}'), 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
	[v1({ rv: '1' }), 'json: cannot unmarshal string into Go struct field continueToken.rv of type int64'],
	[v1({ rv: 1.5 }), 'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64'],
	[v1({ rv: 1, start: {} }), 'json: cannot unmarshal object into Go struct field continueToken.start of type string'],
	[token('null'), 'server does not recognize this encoded version '],
	[token('{"v":"meta.k8s.io/v2"}'), 'server does not recognize this encoded version meta.k8s.io/v2'],
	[v1({ start: 'a' }), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
	[v1({ rv: 1 }), 'encoded start key empty (version meta.k8s.io/v1)'],
	[v1({ rv: 1, start: '../x' }), '../x'],
	[v1({ rv: 1, start: 'x/' }), 'x/'],
] as const)
	test(`a continue token "${given}" is refused`, (t) => {
		t.is(t.throws(() => decodeContinue(given)).message, `invalid continue token: continue key is not valid: ${why}`);
	});
