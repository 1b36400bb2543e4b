/** /openapi/v2 and /openapi/v3: documents with an ETag; those that name their hash never change. */
import { openApiV2, openApiV3, openApiV3Root, type Document } from '../../../api/openapi/documents.ts';
import { StatusError } from '../../../api/status.ts';
import type { ApiRequest, ApiResponse, Handler } from '../contracts.ts';
import { readDocumentation } from './documentation.ts';

const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const V3 = '/openapi/v3/';

export function openApiRoutes(): readonly (readonly [path: string, handler: Handler])[] {
	return [
		['/openapi/v2', (request) => Promise.resolve(version2(request))],
		['/openapi/v3', (request) => Promise.resolve(answer(request, openApiV3Root(readDocumentation), 'text/plain; charset=utf-8'))],
		[V3, (request) => Promise.resolve(version3(request))],
	];
}

function version2(request: ApiRequest): ApiResponse {
	const asked = request.headers['accept'] ?? '';
	const types = asked.split(',').map((clause) => clause.split(';')[0]?.trim() ?? '');
	const first = types.find((type) => type === PROTOBUF || type === 'application/json' || type === 'application/*' || type === '*/*');
	if (asked !== '' && first === undefined)
		throw new StatusError({
			metadata: {},
			status: 'Failure',
			message: 'the request is not acceptable',
			reason: 'NotAcceptable',
			code: 406,
		});
	return first === PROTOBUF
		? answer(request, openApiV2('protobuf', readDocumentation), PROTOBUF)
		: answer(request, openApiV2('json', readDocumentation), 'application/json');
}

function version3(request: ApiRequest): ApiResponse {
	const path = request.path.slice(V3.length);
	if (path === '') return answer(request, openApiV3Root(readDocumentation), 'text/plain; charset=utf-8');
	const found = openApiV3(path, readDocumentation);
	if (found === undefined) return { type: 'bytes', status: 404, headers: {}, body: new Uint8Array() };
	const hash = request.query.get('hash');
	if (hash !== null && hash !== found.hash) {
		const location = `${request.path}?hash=${found.hash}`;
		return { type: 'bytes', status: 301, headers: { location }, body: new Uint8Array() };
	}
	return answer(request, found, 'application/json', hash === null ? {} : { 'cache-control': 'public, immutable' });
}

function answer(request: ApiRequest, { bytes, hash }: Document, type: string, extra: Readonly<Record<string, string>> = {}): ApiResponse {
	const headers = { 'content-type': type, etag: `"${hash}"`, vary: 'Accept', ...extra };
	if (request.headers['if-none-match'] === headers.etag) return { type: 'bytes', status: 304, headers, body: new Uint8Array() };
	return { type: 'bytes', status: 200, headers, body: bytes };
}
