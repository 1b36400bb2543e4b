import test from 'ava';
import { mediaTypeOf } from './media-type.ts';

const JSON_TYPE = 'application/json';
for (const [header, want] of [
	[JSON_TYPE, JSON_TYPE],
	[' Application/JSON ', JSON_TYPE],
	['application/json;', JSON_TYPE],
	['application/json; ', JSON_TYPE],
	['application/json; charset=utf-8', JSON_TYPE],
	['application/json ; Charset = "utf-8" ;', JSON_TYPE],
	['application/json; a=b; a="b"', JSON_TYPE],
	['application/json; a="b\\"c;d"', JSON_TYPE],
	['application/json; a=""', JSON_TYPE],
	['application/json; a="b\\c"', JSON_TYPE],
	["application/json; a*=utf-8''b", JSON_TYPE],
	['application/json;;', undefined],
	['application/json; charset', undefined],
	['application/json; charset=', undefined],
	['application/json; charset="utf-8', undefined],
	['application/json; a=b; A=c', undefined],
	['application/json; =b', undefined],
	['application/json; a b=c', undefined],
	['application/json; a=b c', undefined],
	['application/json; a=\xe9', undefined],
	['application/json; "a"=b', undefined],
	['application/json; a=b;c', undefined],
] as const)
	test(`mediaTypeOf(): ${JSON.stringify(header)}`, (t) => t.is(mediaTypeOf(header), want));
