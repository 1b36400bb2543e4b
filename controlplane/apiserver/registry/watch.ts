/** Watch: what a client sees of the changes of a collection, as a stream of events in the client's encoding. */
import { StatusError } from '../../../api/status.ts';
import { codeOf } from '../../../base/errors.ts';
import { WholeBody, type PushedBody } from '../answer/pushed-body.ts';
import { parseVersion, type ListOptions } from '../request/options.ts';
import type { ApiRequest } from '../contracts.ts';
import type { Parts, WatchScope } from './context.ts';
import type { EventEncoder } from './event-encoder.ts';
import { joinFeed, type Feed } from './feed.ts';
import { collectionPrefix, type Kind } from './kinds.ts';
import { freshAs, freshNow, tooOld } from './freshness.ts';
import { selection } from './selection.ts';
import { Watcher } from './watcher.ts';
import { readyToList } from './ready-to-list.ts';

/** The range upstream's watches last when the client names no timeout (--min-request-timeout). */
export const MIN_WATCH_MS = 1_800_000;

/** What is watched. */
export interface Watched {
	readonly kind: Kind;
	/** '' for all. */
	readonly namespace: string;
	/** '' for all. */
	readonly name: string;
}

/** @param request its signal is made only where something has to be waited for */
export async function watch<P>(
	parts: Parts,
	watched: Watched,
	options: ListOptions,
	encoder: EventEncoder<P>,
	request: Pick<ApiRequest, 'signal'>,
): Promise<PushedBody<P>> {
	parts.watches.admit();
	const startedAt = parts.clock.monotonic();
	const { kind, namespace, name } = watched;
	const { labelSelector, fieldSelector } = options;
	const select = (): ReturnType<typeof selection> => selection(kind, labelSelector, fieldSelector, name);
	const feed = joinFeed(kind, [namespace, name, labelSelector, fieldSelector], encoder, select);
	try {
		const listed = (): void =>
			parts.measures?.watchListed(kind, scopeOf(watched, select().name), (parts.clock.monotonic() - startedAt) / 1000);
		return await begin(parts, kind, namespace, options, feed, listed, request);
	} catch (error) {
		feed.leave();
		throw error;
	}
}

async function begin<P>(
	parts: Parts,
	kind: Kind,
	namespace: string,
	options: ListOptions,
	feed: Feed<P>,
	listed: () => void,
	request: Pick<ApiRequest, 'signal'>,
): Promise<PushedBody<P>> {
	const { store, clock, turns, watches, measures, minWatchMs = MIN_WATCH_MS } = parts;
	const { timeoutSeconds, allowWatchBookmarks: bookmarks, sendInitialEvents } = options;
	const version = parseVersion(options.resourceVersion);
	/** A stream that ends at once, with the error as its only event: upstream's watch has begun by then. */
	const over = (error?: StatusError): PushedBody<P> => {
		feed.leave();
		return new WholeBody(error === undefined ? undefined : feed.encoder.error(error));
	};
	// Its time is up before it begins.
	if (timeoutSeconds !== undefined && timeoutSeconds < 0) return over();
	if (version === undefined && store.shared) await freshNow(parts, request.signal);
	const prefix = collectionPrefix(kind, namespace);
	const initial = sendInitialEvents ?? (version === undefined || version === 0n);
	if (sendInitialEvents === true && version !== undefined && version > 0n) {
		try {
			await freshAs(parts, version, request.signal);
		} catch (error) {
			if (error instanceof StatusError) return over(error);
			throw error;
		}
	}
	// Without objects first, any version is the newest.
	const from = initial || version === undefined || version === 0n ? store.revision() : version;
	const entries = initial ? store.list(prefix, { at: from }).entries : undefined;
	if (entries !== undefined) measures?.begun(kind, entries.length);
	if (entries !== undefined && kind.custom !== undefined) await readyToList(turns, kind, entries, request.signal);
	// The server may have begun to stop while it waited.
	watches.admit();
	const marksInitial = initial && bookmarks;
	try {
		return new Watcher({
			...{ store, clock, turns, watches, kind, feed, from, bookmarks },
			sent: measures?.watchEvents(kind),
			initial: entries === undefined ? undefined : feed.of(entries),
			...(marksInitial ? { marksInitial, listed } : { marksInitial }),
			timeoutMs: timeoutSeconds === undefined ? minWatchMs * (1 + clock.random()) : timeoutSeconds * 1000,
			follow: (wake) => store.follow(prefix, from, wake),
		});
	} catch (error) {
		if (codeOf(error) !== 'OutOfRange') throw error;
		return over(tooOld(from, store.compacted()));
	}
}

/** @param selected the name that the selector asks for */
function scopeOf({ namespace, name }: Watched, selected: string | undefined): WatchScope {
	if (name !== '' || (selected ?? '') !== '') return 'resource';
	return namespace === '' ? 'cluster' : 'namespace';
}
