/** What makes the events of a watch in a client's encoding: bytes, or objects for a client in this process. */
import type { StatusError } from '../../../api/status.ts';
import type { Change } from '../../storage/store.ts';
import type { Piece } from '../answer/canonical.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** @typeParam P one event or several */
export interface EventEncoder<P = Uint8Array> {
	/** Encoders of one kind with the same key write the same bytes; undefined: what this one writes depends on what it has written. */
	readonly key: string | undefined;
	/** It copies what is stored, and parses nothing. */
	readonly cheap: boolean;
	event(type: EventType, piece: Piece, change: Change | undefined): P;
	bookmark(revision: bigint, initialEventsEnd: boolean): P;
	error(error: StatusError): P;
	/** Of two and more. */
	joined(all: readonly P[]): P;
	/** How long it is, as bytes. */
	size(piece: P): number;
}
