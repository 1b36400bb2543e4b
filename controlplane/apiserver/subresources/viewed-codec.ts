/** Answers of reviews, tokens and bindings for clients that want the metadata alone. */
import type { KubeObject } from '../../../api/resource.ts';
import { wanted } from '../answer/accept.ts';
import { answerObject, commonHeaders, formatted } from '../answer/formats.ts';
import { notAcceptableView, partial, type Viewed } from '../answer/views.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import type { BodyCodec } from '../request/body-codec.ts';

export function viewedCodec(codec: BodyCodec): BodyCodec {
	return {
		read: (request, kind) => codec.read(request, kind),
		write: (request, status, object) => seen(request, status, object as KubeObject) ?? codec.write(request, status, object),
	};
}

/** Undefined: the object itself is wanted. A Status has no metadata of its own: it comes whole, in the form that was asked for. */
function seen(request: ApiRequest, status: number, object: KubeObject): ApiResponse | undefined {
	const want = wanted(request);
	if (want.view !== 'metadata' && want.view !== 'metadataList') return undefined;
	if (object.kind === 'Status') return answerObject(request, status, object, {}, want);
	const group = object.apiVersion?.split('/', 1)[0] ?? '';
	const kind: Viewed = { resource: { group, kind: object.kind ?? '' }, strategy: {} };
	if (want.view === 'metadataList') throw notAcceptableView(kind, want);
	const body = formatted(partial(kind, object, want.viewVersion), want.mediaType, want.pretty);
	return { type: 'bytes', status, headers: commonHeaders(want.mediaType), body };
}
