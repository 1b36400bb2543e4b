/** Stored objects as answers: whole, as lists, as tables or as metadata only, in any encoding. JSON never parses what it sends. */
import { parseJson } from '../../../api/codec/json-text.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { notAcceptableView } from './views.ts';
import { mapInTurns } from '../../../base/map-in-turns.ts';
import type { Turns } from '../../../base/turns.ts';
import { rowMaker, tableOf } from './tables.ts';
import type { ApiRequest, ApiResponse, AuditTrail } from '../contracts.ts';
import type { Kind } from '../registry/kinds.ts';
import type { Listed } from '../registry/list.ts';
import type { Entry } from '../../storage/store.ts';
import { wanted, type View, type Wanted } from './accept.ts';
import { lineOf, metadataBetween, whole, type Piece } from './canonical.ts';
import { compressed } from './compressed.ts';
import { commonHeaders, formatted } from './formats.ts';
import { ListBody, type ListText } from './list-body.ts';
import { listForm } from './list-form.ts';
import { MadeList, type MadeListOptions } from './made-list.ts';
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

/** Objects are shown in the version asked for; tables and metadata are made of what is stored, of which metadata may be all that is read. */
export function forView(kind: Kind, piece: Piece, view: View): KubeObject {
	if (view === 'object') return shown(kind, piece);
	return view === 'table' || !hasPlainMetadata(kind) ? parsedAsStored(kind, piece) : metadataAlone(kind, piece);
}

function metadataAlone({ headLength }: Kind, { value, revision }: Piece): KubeObject {
	return parsedBytes(metadataBetween('{"metadata":', value, revision, '}', headLength));
}

function parsedBytes({ buffer, byteOffset, length }: Uint8Array): KubeObject {
	return parseJson(Buffer.from(buffer, byteOffset, length).toString()) as KubeObject;
}

function parsedAsStored(kind: Kind, { value, revision }: Piece): KubeObject {
	if (kind.custom !== undefined) return withVersion(kind.custom.read(value), revision);
	return parsedBytes(whole(value, revision));
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

function contentType(want: Wanted): string {
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
				: { ...listHead(kind), metadata: listMetadata(kind, list), items: kind.custom === undefined ? objects.map(withoutHead) : objects };
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

/** Upstream's lists of custom resources have all of their metadata, also what says nothing. */
function listMetadata(kind: Kind, list: Listed): object {
	const { metadata } = listTail(list);
	return kind.custom === undefined ? metadata : { continue: '', ...metadata };
}

function withoutHead({ kind: _k, apiVersion: _a, ...rest }: KubeObject): object {
	return rest;
}

/** What has to be made for the answer is made in turns, so that no list, however long, holds up others. */
export async function answerList(request: ApiRequest, kind: Kind, list: Listed, now: number, turns: Turns): Promise<ApiResponse> {
	const want = wanted(request, { custom: kind.custom !== undefined });
	if (want.view === 'metadata') throw notAcceptableView(kind, want);
	const headers = commonHeaders(contentType(want));
	const audit = request.audit ?? UNTIMED;
	const { signal } = request;
	const isPlain = want.view === 'object' && want.mediaType === 'application/json' && !want.pretty;
	if (!isPlain && list.entries.length === 0) {
		const view = audit.timed(TRANSFORM, () => viewOf(request, kind, [], want, list, now));
		const body = audit.timed(SERIALIZE, () => formatted(view, want.mediaType, want.pretty));
		return compressed(request, { type: 'bytes', status: 200, headers, body });
	}
	let body: ListBody | MadeList;
	let whole: Uint8Array | undefined;
	if (isPlain) {
		const convert = (entry: Piece): Piece => audit.timed(TRANSFORM, () => converted(kind, entry));
		const isStoredSo = kind.conversion === undefined && kind.custom === undefined;
		const pieces = isStoredSo ? list.entries : await mapInTurns(turns, list.entries, convert, signal);
		const copied = new ListBody(pieces, { ...listText(kind, list), skip: kind.headLength, pieceBytes: PIECE_BYTES });
		whole = audit.timed(SERIALIZE, () => copied.whole());
		body = copied;
	} else {
		body = new MadeList({ ...itemsOf(request, kind, list, want, now), pieceBytes: PIECE_BYTES, turns, signal });
		whole = await body.begin();
	}
	return compressed(
		request,
		whole === undefined ? { type: 'stream', status: 200, headers, body } : { type: 'bytes', status: 200, headers, body: whole },
	);
}

function listText(kind: Kind, list: Listed): Pick<ListText, 'first' | 'last'> {
	const { kind: kindName, apiVersion } = listHead(kind) as { kind: string; apiVersion: string };
	const first = `{"kind":${JSON.stringify(kindName)},"apiVersion":${JSON.stringify(apiVersion)},"metadata":${JSON.stringify(listMetadata(kind, list))},"items":[`;
	return { first, last: ']}\n' };
}

/** How each of a list's objects is written in the view asked for. */
function itemsOf(
	request: ApiRequest,
	kind: Kind,
	list: Listed,
	want: Wanted,
	now: number,
): Pick<MadeListOptions, 'count' | 'item' | 'around' | 'saysLength'> {
	const audit = request.audit ?? UNTIMED;
	const key = want.view === 'table' ? 'rows' : 'items';
	const empty = viewOf(request, kind, [], want, list, now) as { readonly apiVersion: string; readonly kind: string };
	const form = listForm({ ...empty, [key]: [] }, key, want);
	const show = shownInList(request, kind, want, now);
	const { entries } = list;
	const count = entries.length;
	if (want.view === 'metadataList' && want.mediaType === 'application/json' && !want.pretty && hasPlainMetadata(kind)) {
		const head = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${want.viewVersion}","metadata":`;
		const item = (i: number): Uint8Array => {
			const { value, revision } = entries[i] as Entry;
			return metadataBetween(i === 0 ? head : `,${head}`, value, revision, '}', kind.headLength);
		};
		return { ...form, count, item };
	}
	const item = (i: number): Uint8Array => {
		const object = audit.timed(DECODE, () => forView(kind, entries[i] as Entry, want.view));
		const view = audit.timed(TRANSFORM, () => show(object));
		return audit.timed(SERIALIZE, () => form.item(view, i === 0));
	};
	return { ...form, count, item };
}

function shownInList(request: ApiRequest, kind: Kind, want: Wanted, now: number): (object: KubeObject) => object {
	switch (want.view) {
		case 'object':
			return kind.custom === undefined ? withoutHead : (object) => object;
		case 'table':
			return rowMaker(request, kind, want.viewVersion, now);
		case 'metadata':
		case 'metadataList':
			return (object) => partial(kind, object, want.viewVersion);
	}
}

/** What is stored of an object's metadata is what is shown of it. */
export function hasPlainMetadata({ conversion, custom, strategy }: Kind): boolean {
	return conversion === undefined && custom === undefined && strategy.fieldAnnotation === undefined;
}
