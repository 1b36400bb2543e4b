/** Watch events in each encoding: JSON lines or protobuf frames, of objects, tables or metadata. */
import { goJson } from '../../../api/go-json.ts';
import { encodeWatchFrame } from '../../../api/codec/codec.ts';
import type { KubeObject } from '../../../api/resource.ts';
import type { StatusError } from '../../../api/status.ts';
import { Lru } from '../../../base/lru.ts';
import type { ApiRequest } from '../contracts.ts';
import type { Kind } from '../registry/kinds.ts';
import type { EventEncoder } from '../registry/event-encoder.ts';
import type { Change } from '../../storage/store.ts';
import { wanted, type Wanted } from './accept.ts';
import { bookmarkOf } from './bookmark.ts';
import { between, metadataBetween, type Piece } from './canonical.ts';
import { converted, forView, hasPlainMetadata } from './objects.ts';
import { tableOf } from './tables.ts';
import { partial } from './views.ts';

/** Bytes of the events made last, shared by those who select differently: most ask in the turn of the change, the rest soon after. */
const shared = new WeakMap<Kind, Lru<Change, Map<string, Uint8Array>>>();
const SHARED_CHANGES = 200;

export function eventEncoder(
	request: ApiRequest,
	kind: Kind,
	now: () => number,
): { readonly encoder: EventEncoder; readonly contentType: string } {
	const want = wanted(request, { watch: true, custom: kind.custom !== undefined });
	const contentType = want.mediaType === 'application/json' ? 'application/json' : `${want.mediaType};stream=watch`;
	return { encoder: encoderFor(request, kind, want, now), contentType };
}

function encoderFor(request: ApiRequest, kind: Kind, want: Wanted, now: () => number): EventEncoder {
	const plain = want.view === 'object' && want.mediaType === 'application/json';
	const asStored = want.mediaType === 'application/json' && kind.conversion === undefined && kind.custom === undefined;
	/** Metadata alone, which stands in what is stored. */
	const bare = want.view !== 'object' && want.view !== 'table' && asStored && hasPlainMetadata(kind);
	// The columns of a table come with its first row only.
	const encoding = want.view === 'table' ? undefined : `${want.mediaType} ${want.view} ${want.viewVersion}`;
	let sentTable = false;
	const view = (object: KubeObject): object => {
		switch (want.view) {
			case 'object':
				return object;
			case 'table': {
				const table = tableOf(request, kind, [object], undefined, want.viewVersion, now()) as { columnDefinitions?: unknown };
				if (sentTable) table.columnDefinitions = null;
				sentTable = true;
				return table;
			}
			case 'metadata':
			case 'metadataList':
				return partial(kind, object, want.viewVersion);
		}
	};
	const frame = (type: string, object: object): Uint8Array =>
		want.mediaType === 'application/vnd.kubernetes.protobuf'
			? encodeWatchFrame(type, object)
			: Buffer.from(`${goJson({ type, object })}\n`);
	const made = (type: string, { value, revision }: Piece): Uint8Array => {
		if (plain) return jsonEvent(type, converted(kind, { value, revision }));
		if (bare && revision !== undefined)
			return metadataBetween(
				`{"type":"${type}","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${want.viewVersion}","metadata":`,
				value,
				revision,
				'}}\n',
				kind.headLength,
			);
		return frame(type, view(forView(kind, { value, revision }, want.view)));
	};
	return {
		key: encoding,
		cheap: bare || (plain && asStored),
		event(type, piece, change) {
			if (change === undefined || encoding === undefined) return made(type, piece);
			const all = encodings(kind, change);
			const key = `${type} ${encoding}`;
			let bytes = all.get(key);
			if (bytes === undefined) all.set(key, (bytes = made(type, piece)));
			return bytes;
		},
		// A table's bookmark has a row, too, whose metadata says what bookmarks say.
		bookmark: (revision, initialEventsEnd) => frame('BOOKMARK', view(bookmarkOf(kind, revision, initialEventsEnd))),
		error: (error: StatusError) => frame('ERROR', error.status),
		joined: (all) => Buffer.concat(all),
		size: ({ length }) => length,
	};
}

function encodings(kind: Kind, change: Change): Map<string, Uint8Array> {
	let changes = shared.get(kind);
	if (changes === undefined) shared.set(kind, (changes = new Lru(SHARED_CHANGES)));
	let all = changes.get(change);
	if (all === undefined) changes.set(change, (all = new Map()));
	return all;
}

function jsonEvent(type: string, piece: Piece): Uint8Array {
	return between(`{"type":"${type}","object":`, piece.value, piece.revision, '}\n');
}
