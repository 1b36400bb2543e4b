/** Objects that are made for one answer (statuses, reviews, tables) as the bytes the client accepts. */
import { encodeBody } from '../../../api/codec/codec.ts';
import { goEscaped } from '../../../api/go-json.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import { compressed } from './compressed.ts';
import { errorType, type MediaType, type Wanted } from './accept.ts';

/** Encodes an object with apiVersion and kind. */
export function formatted(object: object, mediaType: MediaType, pretty: boolean): Uint8Array {
	if (mediaType === 'application/json')
		return Buffer.from(goEscaped(pretty ? JSON.stringify(object, undefined, 2) : `${JSON.stringify(object)}\n`));
	return encodeBody(object, mediaType);
}

export function answerObject(
	request: ApiRequest,
	status: number,
	object: object,
	headers: Readonly<Record<string, string>> = {},
	{ mediaType, pretty }: Pick<Wanted, 'mediaType' | 'pretty'> = errorType(request),
): ApiResponse {
	const body = formatted(object, mediaType, pretty);
	return compressed(request, { type: 'bytes', status, headers: { ...headers, ...commonHeaders(mediaType) }, body });
}

export function commonHeaders(contentType: string): Record<string, string> {
	return { 'cache-control': 'no-cache, private', 'content-type': contentType };
}
