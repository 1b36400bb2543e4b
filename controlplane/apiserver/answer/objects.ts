/** Stored objects as answers: whole, as lists, as tables or as metadata only, in any encoding. JSON never parses what it sends. */
import { parseJson } from '../../../api/codec/json-text.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { notAcceptableView } from './views.ts';
import { tableOf } from './tables.ts';
import type { ApiRequest, ApiResponse, AuditTrail } from '../contracts.ts';
import type { Kind } from '../registry/kinds.ts';
import type { Listed } from '../registry/list.ts';
import { wanted, type View, type Wanted } from './accept.ts';
import { whole, lineOf, type Piece } from './canonical.ts';
import { compressed } from './compressed.ts';
import { commonHeaders, formatted } from './formats.ts';
import { ListBody } from './list-body.ts';
import { inVersion, listTail, partial, partialList } from './views.ts';

/** Lists longer than this are written in pieces of it, so that no turn of the loop gets long. */
const PIECE_BYTES = 128 * 1024;

const [DECODE, TRANSFORM, SERIALIZE] = ['decode-response-object', 'transform-response-object', 'serialize-response-object'] as const;
/** Of requests whose time nobody writes down. */
const UNTIMED: Pick<AuditTrail, 'timed'> = { timed: (_layer, work) => work() };

/** What the version asked for shows of a stored object: parsed only where it has to be. */
export function shown(kind: Kind, piece: Piece): KubeObject {
	return inVersion(kind, parsedAsStored(kind, piece));
}

/** Objects are shown in the version asked for; tables and metadata are made of what is stored. */
export function forView(kind: Kind, piece: Piece, view: View): KubeObject {
	return view === 'object' ? shown(kind, piece) : parsedAsStored(kind, piece);
}

function parsedAsStored(kind: Kind, { value, revision }: Piece): KubeObject {
	if (kind.custom !== undefined) return withVersion(kind.custom.read(value), revision);
	return parseJson(Buffer.from(whole(value, revision)).toString()) as KubeObject;
}

function withVersion(object: KubeObject, revision: bigint | undefined): KubeObject {
	if (revision === undefined) return object;
	const { name, generateName, namespace, uid, ...rest } = object.metadata;
	const first = { ...(name === undefined ? {} : { name }), ...(generateName === undefined ? {} : { generateName }) };
	const place = { ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) };
	return { ...object, metadata: { ...first, ...place, resourceVersion: String(revision), ...rest } };
}

/** The piece in the version asked for. */
export function converted(kind: Kind, piece: Piece): Piece {
	if (kind.custom !== undefined) return { value: kind.custom.form(piece.value), revision: piece.revision };
	if (kind.conversion === undefined) return piece;
	return { value: kind.encode(shown(kind, { value: piece.value, revision: undefined })), revision: piece.revision };
}

export function answerPiece(request: ApiRequest, kind: Kind, piece: Piece, status: number, now: number, bytes = lineOf): ApiResponse {
	const want = wanted(request, { custom: kind.custom !== undefined });
	if (want.view === 'metadataList') throw notAcceptableView(kind, want);
	const audit = request.audit ?? UNTIMED;
	let body: Uint8Array;
	if (want.view === 'object' && want.mediaType === 'application/json' && !want.pretty) {
		const asked = audit.timed(TRANSFORM, () => converted(kind, piece));
		body = audit.timed(SERIALIZE, () => bytes(asked));
	} else {
		const view = audit.timed(TRANSFORM, () => viewOf(request, kind, [forView(kind, piece, want.view)], want, undefined, now));
		body = audit.timed(SERIALIZE, () => formatted(view, want.mediaType, want.pretty));
	}
	return compressed(request, { type: 'bytes', status, headers: commonHeaders(contentType(want)), body });
}

export function contentType(want: Wanted): string {
	return want.mediaType;
}

function viewOf(
	request: ApiRequest,
	kind: Kind,
	objects: readonly KubeObject[],
	want: Wanted,
	list: Listed | undefined,
	now: number,
): object {
	switch (want.view) {
		case 'object':
			return list === undefined
				? (objects[0] as object)
				: { ...listHead(kind), ...listTail(list), items: kind.custom === undefined ? objects.map(withoutHead) : objects };
		case 'table':
			return tableOf(request, kind, objects, list, want.viewVersion, now);
		case 'metadata':
			return partial(kind, objects[0] as KubeObject, want.viewVersion);
		case 'metadataList':
			return partialList(kind, objects, list, want.viewVersion);
	}
}

function listHead(kind: Kind): object {
	return { kind: kind.custom?.listKind ?? `${kind.resource.kind}List`, apiVersion: kind.apiVersion };
}

function withoutHead({ kind: _k, apiVersion: _a, ...rest }: KubeObject): object {
	return rest;
}

export function answerList(request: ApiRequest, kind: Kind, list: Listed, now: number): ApiResponse {
	const want = wanted(request, { custom: kind.custom !== undefined });
	if (want.view === 'metadata') throw notAcceptableView(kind, want);
	const headers = commonHeaders(contentType(want));
	const audit = request.audit ?? UNTIMED;
	if (want.view !== 'object' || want.mediaType !== 'application/json' || want.pretty) {
		const objects = audit.timed(DECODE, () => list.entries.map((entry) => forView(kind, entry, want.view)));
		const view = audit.timed(TRANSFORM, () => viewOf(request, kind, objects, want, list, now));
		const body = audit.timed(SERIALIZE, () => formatted(view, want.mediaType, want.pretty));
		return compressed(request, { type: 'bytes', status: 200, headers, body });
	}
	const { kind: kindName, apiVersion } = listHead(kind) as { kind: string; apiVersion: string };
	const first = `{"kind":${JSON.stringify(kindName)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(kind.custom === undefined ? listTail(list).metadata : { continue: '', ...listTail(list).metadata })},"items":[`;
	const pieces =
		kind.conversion === undefined && kind.custom === undefined
			? list.entries
			: audit.timed(TRANSFORM, () => list.entries.map((entry) => converted(kind, entry)));
	const body = new ListBody(pieces, { first, last: ']}\n', skip: kind.headLength, pieceBytes: PIECE_BYTES });
	const whole = audit.timed(SERIALIZE, () => body.whole());
	return compressed(
		request,
		whole === undefined ? { type: 'stream', status: 200, headers, body } : { type: 'bytes', status: 200, headers, body: whole },
	);
}
