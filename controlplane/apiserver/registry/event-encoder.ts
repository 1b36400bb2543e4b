/** What writes the events of a watch in a client's encoding. */
import type { StatusError } from '../../../api/status.ts';
import type { Change } from '../../storage/store.ts';
import type { Piece } from '../answer/canonical.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

export interface EventEncoder {
	/** Encoders of one kind with the same key write the same bytes; undefined: what this one writes depends on what it has written. */
	readonly key: string | undefined;
	/** It copies what is stored, and parses nothing. */
	readonly cheap: boolean;
	event(type: EventType, piece: Piece, change: Change | undefined): Uint8Array;
	bookmark(revision: bigint, initialEventsEnd: boolean): Uint8Array;
	error(error: StatusError): Uint8Array;
}
