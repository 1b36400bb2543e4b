/** Watch: what a client sees of the changes of a collection, as a stream of events in the client's encoding. */
import { codeOf } from '../../../base/errors.ts';
import type { StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Change, Encoded, Store } from '../../storage/store.ts';
import type { Piece } from '../answer/canonical.ts';
import { parseVersion, type ListOptions } from '../request/options.ts';
import { collectionPrefix, type Kind } from './kinds.ts';
import { IdleTicks } from './idle-ticks.ts';
import { freshAs, tooOld } from './list.ts';
import type { Selection } from './selection.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Writes events for one client; watchers of one encoding share the bytes of an event. */
export interface EventEncoder {
	event(type: EventType, piece: Piece, change: Change | undefined): Uint8Array;
	bookmark(revision: bigint, initialEventsEnd: boolean): Uint8Array;
	error(error: StatusError): Uint8Array;
}

/** Upstream's interval of bookmarks, and the range its watches last when the client names no timeout (--min-request-timeout). */
const BOOKMARK_MS = 60_000;
const MIN_TIMEOUT_MS = 1_800_000;

export async function watch(
	store: Store,
	clock: Clock,
	kind: Kind,
	namespace: string,
	selected: Selection,
	options: ListOptions,
	encoder: EventEncoder,
	signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
	const version = parseVersion(options.resourceVersion);
	const prefix = collectionPrefix(kind, namespace);
	const initial = options.sendInitialEvents ?? (version === undefined || version === 0n);
	if (initial && version !== undefined && version > 0n) await freshAs(store, version, signal);
	const from = initial ? store.revision() : (version ?? 0n);
	const ending = endSignal(clock, options, kind.custom === undefined ? [signal] : [signal, kind.custom.ended]);
	const start: Uint8Array[] = [];
	if (initial) {
		const { entries } = store.list(prefix, { at: from });
		await kind.custom?.ready(
			entries.map((entry) => entry.value),
			signal,
		);
		for (const entry of entries) if (selected.matches(entry.value)) start.push(encoder.event('ADDED', entry, undefined));
		if (options.sendInitialEvents === true && options.allowWatchBookmarks) start.push(encoder.bookmark(from, true));
	}
	let changes;
	try {
		changes = store.watch(prefix, from, ending.signal);
	} catch (error) {
		ending[Symbol.dispose]();
		if (codeOf(error) !== 'OutOfRange') throw error;
		return once(encoder.error(tooOld(from, store.compacted())));
	}
	return stream(store, clock, kind, selected, options, encoder, start, changes, from, ending);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}

interface Ending extends Disposable {
	readonly signal: AbortSignal;
}

function endSignal(clock: Clock, { timeoutSeconds }: ListOptions, signals: readonly AbortSignal[]): Ending {
	const stop = new AbortController();
	const ms = timeoutSeconds === undefined ? MIN_TIMEOUT_MS * (1 + clock.random()) : timeoutSeconds * 1000;
	const timer = clock.after(ms, () => stop.abort());
	const onAbort = (): void => stop.abort();
	for (const signal of signals) {
		if (signal.aborted) stop.abort();
		else signal.addEventListener('abort', onAbort, { once: true });
	}
	return {
		signal: stop.signal,
		[Symbol.dispose]() {
			timer[Symbol.dispose]();
			for (const signal of signals) signal.removeEventListener('abort', onAbort);
			stop.abort();
		},
	};
}

async function* stream(
	store: Store,
	clock: Clock,
	kind: Kind,
	selected: Selection,
	options: ListOptions,
	encoder: EventEncoder,
	start: readonly Uint8Array[],
	changes: AsyncIterable<{ readonly revision: bigint; readonly changes: readonly Change[] }>,
	from: bigint,
	ending: Ending,
): AsyncGenerator<Uint8Array> {
	using _ending = ending;
	using idle = new IdleTicks(clock, BOOKMARK_MS);
	for (let i = 0; i < start.length; i += 100) yield Buffer.concat(start.slice(i, i + 100));
	const iterator = changes[Symbol.asyncIterator]();
	let sent = from;
	let next = iterator.next();
	while (!ending.signal.aborted) {
		let got;
		try {
			got = await (options.allowWatchBookmarks ? idle.first(next) : next);
		} catch (error) {
			if (codeOf(error) !== 'OutOfRange') throw error;
			yield encoder.error(tooOld(sent, store.compacted()));
			return;
		}
		if (got === 'tick') {
			// Nothing that matches is waiting, so everything up to now has been sent.
			sent = store.revision();
			yield encoder.bookmark(sent, false);
			continue;
		}
		if (got.done === true) return;
		if (kind.custom !== undefined) {
			const values = got.value.changes.flatMap(({ before, after }) => [before?.value, after?.value]);
			await kind.custom.ready(values, ending.signal);
		}
		const frames: Uint8Array[] = [];
		for (const change of got.value.changes) {
			const frame = encoded(encoder, selected, change);
			if (frame !== undefined) frames.push(frame);
		}
		sent = got.value.revision;
		if (frames.length === 1) yield frames[0] as Uint8Array;
		else if (frames.length > 1) yield Buffer.concat(frames);
		next = iterator.next();
	}
}

/** A change of what matches may look like another one to this client: leaving the selection is a delete, entering it an add. */
function encoded(encoder: EventEncoder, selected: Selection, change: Change): Uint8Array | undefined {
	const before = matching(selected, change.before?.value);
	const after = matching(selected, change.after?.value);
	if (after !== undefined)
		return encoder.event(before === undefined ? 'ADDED' : 'MODIFIED', { value: after, revision: change.revision }, change);
	if (before === undefined) return undefined;
	// The last state that matched, at the revision of the change.
	return encoder.event('DELETED', { value: before, revision: change.revision }, change);
}

function matching(selected: Selection, value: Encoded | undefined): Encoded | undefined {
	return value !== undefined && selected.matches(value) ? value : undefined;
}
