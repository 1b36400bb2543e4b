import test from 'ava';
import type { StatusError } from '../../../api/status.ts';
import type { ApiRequest } from '../contracts.ts';
import { patchType } from './patch-request.ts';

const typeOf = (type: string | undefined, custom: boolean): string =>
	patchType({ headers: { 'content-type': type } } as unknown as ApiRequest, custom);

for (const [type, builtIn, custom] of [
	['application/json-patch+json', 'json', 'json'],
	['application/merge-patch+json; charset=utf-8', 'merge', 'merge'],
	['application/strategic-merge-patch+json', 'strategic', undefined],
	['application/apply-patch+yaml', 'apply', 'apply'],
	['application/apply-patch+json', 'path', undefined],
	['application/apply-patch+cbor', 'path', undefined],
	['application/json', 'path', undefined],
	[undefined, 'path', undefined],
	['', 'path', undefined],
	// The path takes these, what is behind it does not.
	['application/merge-patch+json ; charset=utf-8', undefined, undefined],
	['text/plain, application/merge-patch+json', undefined, undefined],
] as const) {
	const unknown = 'the body of the request was in an unknown format - accepted media types include: ';
	const [json, merge, strategic, apply] = ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'].map(
		(one) => `application/${one}`,
	);
	for (const [isCustom, want, types] of [
		[false, builtIn, [json, merge, strategic, apply]],
		[true, custom, [json, merge, apply]],
	] as const)
		test(`patchType(): ${type} of a ${isCustom ? 'custom' : 'built-in'} resource`, (t) => {
			if (want !== undefined && want !== 'path') return t.is(typeOf(type, isCustom), want);
			const { status } = t.throws(() => typeOf(type, isCustom)) as StatusError;
			const message = want === 'path' ? '415: Unsupported Media Type' : `${unknown}${types.join(', ')}`;
			t.like(status, { code: 415, reason: 'UnsupportedMediaType', message });
			return undefined;
		});
}
