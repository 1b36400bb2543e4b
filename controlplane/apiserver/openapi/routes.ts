/** /openapi/v2 and /openapi/v3: documents with an ETag; those that name their hash never change. */
import { openApiV2, openApiV2With, openApiV3, openApiV3Root, type Additions, type Document } from '../../../api/openapi/documents.ts';
import { gnosticDocumentV3 } from '../../../api/openapi/gnostic-v3.ts';
import { serviceUnavailable } from '../../../api/status.ts';
import { messageOf } from '../../../base/errors.ts';
import { documentCompressed } from '../answer/compressed.ts';
import type { RemoteOpenApi } from '../aggregation/remote-openapi.ts';
import type { ApiRequest, ApiResponse, Handler } from '../contracts.ts';
import type { CustomDocuments } from './additions.ts';
import { readDocumentation } from './documentation.ts';

/** Answers are of the second name: the first, which clients ask by, is no media type. */
const PROTOBUF_2 = [
	'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
	'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
];
const PROTOBUF_3 = [
	'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
	'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
];
const VERSION3_TYPES = ['application/json', ...PROTOBUF_3];
const V3 = '/openapi/v3/';

interface Sources {
	readonly custom: CustomDocuments;
	readonly remote: RemoteOpenApi;
}

export function openApiRoutes(sources: Sources): readonly (readonly [path: string, handler: Handler])[] {
	const version2 = version2Documents(sources);
	return [
		['/openapi/v2', async (request) => packed(request, await version2(request))],
		['/openapi/v3', (request) => root(request, sources)],
		[V3, (request) => version3(request, sources)],
	];
}

/** The built-in document as it is, or with what else there is in it, kept until that changes. */
function version2Documents({ custom, remote }: Sources): (request: ApiRequest) => Promise<ApiResponse> {
	let merged: { readonly of: readonly (Additions | undefined)[]; readonly json: Document; protobuf: Document | undefined } | undefined;
	return async (request) => {
		const form = version2Form(request);
		if (form === undefined) return NOT_ACCEPTABLE;
		const type = form === 'protobuf' ? (PROTOBUF_2[1] as string) : 'application/json';
		const of = [custom.additions(), await remote.additions(request.signal)];
		const [own, others] = of;
		if (own === undefined && others === undefined) return answer(request, openApiV2(form, readDocumentation), type);
		const both: Additions = {
			paths: { ...others?.paths, ...own?.paths },
			schemas: { ...others?.schemas, ...own?.schemas },
			parameters: { ...others?.parameters, ...own?.parameters },
		};
		if (merged === undefined || of.some((one, i) => one !== merged?.of[i]))
			merged = { of, json: openApiV2With('json', readDocumentation, both), protobuf: undefined };
		if (form === 'json') return answer(request, merged.json, type);
		merged.protobuf ??= openApiV2With('protobuf', readDocumentation, both);
		return answer(request, merged.protobuf, type);
	};
}

/** Upstream says nothing more. */
const NOT_ACCEPTABLE: ApiResponse = { type: 'bytes', status: 406, headers: { vary: 'Accept' }, body: new Uint8Array() };

/** As upstream's handler of this document alone does. */
function packed(request: ApiRequest, answer: ApiResponse): ApiResponse {
	if (answer.type !== 'bytes' || answer.status !== 200) return answer;
	return documentCompressed(request, { ...answer, headers: { ...answer.headers, vary: 'Accept-Encoding, Accept' } });
}

/** Undefined: neither of them is accepted. */
function version2Form(request: ApiRequest): 'json' | 'protobuf' | undefined {
	const type = firstOf(request, [...PROTOBUF_2, 'application/json']);
	return type === undefined ? undefined : type === 'application/json' ? 'json' : 'protobuf';
}

/** The first type the client names of these; any stands for JSON. */
function firstOf(request: ApiRequest, types: readonly string[]): string | undefined {
	const accept = request.headers['accept'] ?? '';
	const asked = accept === '' ? ['*/*'] : accept.split(',').map((clause) => clause.split(';')[0]?.trim() ?? '');
	const named = asked.map((type) => (type === '*/*' || type === 'application/*' ? 'application/json' : type));
	return named.find((type) => types.includes(type));
}

/** It names the hash of each document, and has none of its own. */
async function root(request: ApiRequest, { custom, remote }: Sources): Promise<ApiResponse> {
	const others = { ...(await remote.addresses(request.signal)), ...custom.addresses() };
	const headers = { 'content-type': 'text/plain; charset=utf-8' };
	return { type: 'bytes', status: 200, headers, body: openApiV3Root(readDocumentation, others).bytes };
}

async function version3(request: ApiRequest, sources: Sources): Promise<ApiResponse> {
	const path = request.path.slice(V3.length);
	const found = openApiV3(path, readDocumentation) ?? sources.custom.document(path);
	if (found === undefined) return elsewhere(request, path, sources.remote);
	const type = firstOf(request, VERSION3_TYPES);
	if (type === undefined) return NOT_ACCEPTABLE;
	const hash = request.query.get('hash');
	if (hash !== null && hash !== found.hash) {
		const location = `${request.path}?hash=${found.hash}`;
		return { type: 'bytes', status: 301, headers: { location }, body: new Uint8Array() };
	}
	const immutable: Readonly<Record<string, string>> = hash === null ? {} : { 'cache-control': 'public, immutable' };
	if (type === 'application/json') return answer(request, found, type, immutable);
	return answer(request, { bytes: asProtobuf(found), hash: found.hash }, PROTOBUF_3[1] as string, immutable);
}

const protobufs = new WeakMap<Document, Uint8Array>();

/** Kept as long as the document is. */
function asProtobuf(document: Document): Uint8Array {
	let bytes = protobufs.get(document);
	if (bytes === undefined) {
		bytes = gnosticDocumentV3(JSON.parse(Buffer.from(document.bytes).toString()) as Readonly<Record<string, unknown>>);
		protobufs.set(document, bytes);
	}
	return bytes;
}

/** Another server's document goes through as it is. */
async function elsewhere(request: ApiRequest, path: string, remote: RemoteOpenApi): Promise<ApiResponse> {
	const query = request.query.toString();
	const found = await remote
		.document(path, query === '' ? '' : `?${query}`, request.headers['accept'] ?? 'application/json', request.signal)
		.catch((error: unknown) => {
			throw serviceUnavailable(messageOf(error));
		});
	if (found === undefined) return { type: 'bytes', status: 404, headers: {}, body: new Uint8Array() };
	const passed = ['content-type', 'etag', 'cache-control', 'location', 'vary'].flatMap((name) => {
		const value = found.headers[name];
		return typeof value === 'string' ? [[name, value] as const] : [];
	});
	return { type: 'bytes', status: found.status, headers: Object.fromEntries(passed), body: found.body };
}

function answer(request: ApiRequest, { bytes, hash }: Document, type: string, extra: Readonly<Record<string, string>> = {}): ApiResponse {
	const headers = { etag: `"${hash}"`, vary: 'Accept', ...extra };
	if (request.headers['if-none-match'] === headers.etag) return { type: 'bytes', status: 304, headers, body: new Uint8Array() };
	return { type: 'bytes', status: 200, headers: { 'content-type': type, ...headers }, body: bytes };
}
