/** Watch events for clients in this process: objects, decoded once for all who watch and frozen, in place of bytes that each would decode again. */
import { freeze } from '../../../base/freeze.ts';
import type { KubeObject } from '../../../api/resource.ts';
import type { SentEvent } from '../../../client/watch-event.ts';
import { sizeOf, type Change } from '../../storage/store.ts';
import type { ApiRequest } from '../contracts.ts';
import type { EventEncoder, EventType } from '../registry/event-encoder.ts';
import type { Kind } from '../registry/kinds.ts';
import { wanted } from './accept.ts';
import { bookmarkOf } from './bookmark.ts';
import { versionText, type Piece } from './canonical.ts';
import { shown } from './objects.ts';
import type { Parsed } from './parsed.ts';

/** With their sizes as JSON, for those who count what is sent. */
export type ObjectEvents = readonly (SentEvent & { readonly bytes: number })[];

/** Undefined where the client takes bytes only, or wants anything else than what is stored. */
export function objectEvents(parsed: Parsed, request: ApiRequest, kind: Kind): EventEncoder<ObjectEvents> | undefined {
	if (request.takesEvents !== true || kind.conversion !== undefined || kind.custom !== undefined) return undefined;
	const { view, mediaType } = wanted(request, { watch: true });
	if (view !== 'object' || mediaType !== 'application/json') return undefined;
	return {
		key: 'objects',
		cheap: false,
		event: (type, piece, change) => [{ type, object: objectOf(parsed, kind, type, piece, change), bytes: jsonSize(type, piece) }],
		bookmark: (revision, initialEventsEnd) => sized({ type: 'BOOKMARK', object: bookmarkOf(kind, revision, initialEventsEnd) }),
		error: ({ status }) => sized({ type: 'ERROR', object: status }),
		joined: (all) => all.flat(),
		size: (events) => events.reduce((all, { bytes }) => all + bytes, 0),
	};
}

/** What was deleted is told as it was, at the revision of its end. */
function objectOf(parsed: Parsed, kind: Kind, type: EventType, piece: Piece, change: Change | undefined): KubeObject {
	return type === 'DELETED' || change?.after === undefined ? freeze(shown(kind, piece)) : parsed.ofFresh(change.after);
}

function jsonSize(type: EventType, { value, revision }: Piece): number {
	return `{"type":"${type}","object":}\n`.length + sizeOf(value) + (revision === undefined ? 0 : versionText(revision).length);
}

function sized(event: SentEvent): ObjectEvents {
	return [{ ...event, bytes: JSON.stringify(event).length + 1 }];
}
