import test from 'ava';
import { Turns } from '../../../base/turns.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import { makeKind, type Kind } from './kinds.ts';
import { CONFIG_MAPS } from '../../../api/resources.ts';
import type { EventEncoder } from './event-encoder.ts';
import { joinFeed } from './feed.ts';
import { EVERYTHING } from './selection.ts';
import { StatusError } from '../../../api/status.ts';
import { listOptions } from '../request/options.ts';
import type { Parts } from './context.ts';
import { OpenWatches } from './open-watches.ts';
import { watch } from './watch.ts';
import { Watcher, type WatcherOptions } from './watcher.ts';

const kind = makeKind(CONFIG_MAPS);

let count = 0;

/** Events as words; how many were made is counted. */
function words(): EventEncoder & { made: number } {
	const bytes = (text: string): Uint8Array => Buffer.from(`${text} `);
	return {
		...{ key: `words ${++count}`, cheap: true, made: 0 },
		event(type, { value }) {
			this.made++;
			return bytes(`${type}:${value.fields['metadata.name']}`);
		},
		bookmark: (_revision, initialEventsEnd) => bytes(initialEventsEnd ? 'COMPLETE' : 'BOOKMARK'),
		error: (error) => bytes(`ERROR:${error.httpCode}`),
		joined: (all) => Buffer.concat(all),
		size: ({ length }) => length,
	};
}

async function setUp() {
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	const encoder = words();
	const put = async (...names: readonly string[]): Promise<void> => {
		for (const name of names) {
			const value = kind.encode({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' } });
			await store.commit([{ key: `${kind.prefix}default/${name}`, expect: 'absent', value }]);
		}
	};
	const turns = new Turns(clock);
	const watches = new OpenWatches();
	const watcher = (options: Partial<WatcherOptions> = {}) => {
		const from = store.revision();
		const seen = { text: '', ended: false, full: false };
		const body = new Watcher({
			...{ store, clock, turns, watches, kind, from, sent: undefined, initial: undefined, marksInitial: false, bookmarks: false },
			feed: joinFeed(kind, [''], encoder, () => EVERYTHING),
			timeoutMs: 600_000,
			follow: (wake) => store.follow(kind.prefix, from, wake),
			...options,
		});
		body.start({
			write(bytes) {
				seen.text += Buffer.from(bytes).toString();
				return !seen.full;
			},
			end: () => (seen.ended = true),
		});
		return Object.assign(seen, { body });
	};
	return { clock, store, encoder, turns, watches, put, watcher, settled: () => clock.advance(0) };
}

test('Watcher: an event is encoded once for all who ask the same', async (t) => {
	const { encoder, put, watcher, settled } = await setUp();
	const all = Array.from({ length: 20 }, () => watcher());
	await settled();
	await put('a', 'b');
	await settled();
	for (const { text } of all) t.is(text, 'ADDED:a ADDED:b ');
	t.is(encoder.made, 2);
	for (const { body } of all) body.close();
});

test('Watcher: a crowd is told in order, nothing twice, whoever joins, is slow or leaves', async (t) => {
	const { put, watcher, settled } = await setUp();
	const all = Array.from({ length: 60 }, () => watcher());
	const [slow, leaves] = [all[7], all[9]] as [(typeof all)[0], (typeof all)[0]];
	slow.full = true;
	await put('a');
	await put('b');
	const late = watcher();
	await settled();
	leaves.body.close();
	await put('c');
	slow.full = false;
	slow.body.resume();
	await settled();
	for (const seen of all) t.is(seen.text, seen === leaves ? 'ADDED:a ADDED:b ' : 'ADDED:a ADDED:b ADDED:c ');
	t.is(late.text, 'ADDED:c ');
	for (const { body } of [...all, late]) body.close();
});

test('Watcher: what a slow client has not taken waits in the store, and comes in order', async (t) => {
	const { store, put, watcher, settled } = await setUp();
	const slow = watcher();
	slow.full = true;
	await put('a');
	await settled();
	await put('b', 'c');
	await settled();
	t.is(slow.text, 'ADDED:a ');
	slow.full = false;
	slow.body.resume();
	await settled();
	t.is(slow.text, 'ADDED:a ADDED:b ADDED:c ');
	slow.full = true;
	await put('d');
	await settled();
	await put('e');
	await store.compact(store.revision());
	slow.body.resume();
	await settled();
	t.true(slow.text.endsWith('ADDED:d ERROR:410 '));
	t.true(slow.ended);
});

test('Watcher: the state it begins with, its end marked; bookmarks where there is news, the last one before the end after its time', async (t) => {
	const { clock, store, put, watcher, settled } = await setUp();
	await put('a', 'b');
	const { entries } = store.list(kind.prefix, {});
	const seen = watcher({ initial: entries, marksInitial: true, bookmarks: true, timeoutMs: 150_000 });
	await settled();
	t.is(seen.text, 'ADDED:a ADDED:b COMPLETE ');
	await clock.advance(30_000);
	await put('c');
	await clock.advance(29_000);
	t.true(seen.text.endsWith('ADDED:c '));
	await clock.advance(1000);
	t.true(seen.text.endsWith('ADDED:c BOOKMARK '));
	await clock.advance(89_999);
	t.true(seen.text.endsWith('ADDED:c BOOKMARK BOOKMARK BOOKMARK '));
	t.false(seen.ended);
	await clock.advance(1);
	t.true(seen.ended);
});

test('Watcher: nothing to say, no bookmark', async (t) => {
	const { clock, watcher } = await setUp();
	const seen = watcher({ bookmarks: true });
	await clock.advance(599_000);
	t.is(seen.text, '');
	seen.body.close();
});

test('Watcher: from a version to come, only what comes after it', async (t) => {
	const { clock, store, put, watcher, settled } = await setUp();
	const from = store.revision() + 2n;
	const seen = watcher({ from, bookmarks: true, timeoutMs: 62_000, follow: (wake) => store.follow(kind.prefix, from, wake) });
	await put('a');
	await settled();
	await put('b', 'c');
	await settled();
	t.is(seen.text, 'ADDED:c ');
	await clock.advance(60_000);
	t.is(seen.text, 'ADDED:c BOOKMARK ');
	seen.body.close();
});

test('Watcher: closed, it leaves nothing behind', async (t) => {
	const { clock, put, watcher, settled } = await setUp();
	const before = clock.pending;
	const seen = watcher({ bookmarks: true });
	seen.body.close();
	await put('a');
	await settled();
	t.is(seen.text, '');
	t.is(clock.pending, before);
});

test('Watcher: all end, each once, when the server stops; none begins afterwards', async (t) => {
	const { clock, turns, watches, watcher, settled } = await setUp();
	const before = clock.pending;
	const all = Array.from({ length: 20 }, () => watcher());
	all[0]?.body.close();
	watches.admit();
	const closed = watches.close(turns);
	await settled();
	await closed;
	t.deepEqual(
		all.map(({ ended }) => ended),
		[false, ...Array.from({ length: 19 }, () => true)],
	);
	t.is(clock.pending, before);
	const error = t.throws(() => watches.admit(), { instanceOf: StatusError, message: 'apiserver is shutting down' });
	t.like(error?.status, { code: 503, reason: 'ServiceUnavailable', details: { retryAfterSeconds: 1 } });
});

test('watch(): one that still waits when the server stops does not begin', async (t) => {
	const { clock, store, encoder, turns, watches, settled } = await setUp();
	const before = clock.pending;
	const converted = Promise.withResolvers<void>();
	const slow = { ...kind, custom: { ready: () => converted.promise, ended: new AbortController().signal } } as unknown as Kind;
	const parts = { store, clock, turns, watches } as unknown as Parts;
	const options = listOptions(new URLSearchParams(), true);
	const begun = watch(parts, { kind: slow, namespace: '', name: '' }, options, encoder, { signal: new AbortController().signal });
	const refused = t.throwsAsync(begun, { instanceOf: StatusError, message: 'apiserver is shutting down' });
	const closed = watches.close(turns);
	await settled();
	await closed;
	converted.resolve();
	await refused;
	t.is(clock.pending, before);
});

test('Watcher: read as a stream, it gives its pieces to whoever waits, and ends with who stops', async (t) => {
	const { clock, store, encoder, put } = await setUp();
	const from = store.revision();
	const body = new Watcher({
		...{
			store,
			clock,
			turns: new Turns(clock),
			watches: new OpenWatches(),
			kind,
			from,
			sent: undefined,
			initial: undefined,
			marksInitial: false,
			bookmarks: false,
		},
		feed: joinFeed(kind, ['stream'], encoder, () => EVERYTHING),
		timeoutMs: 600_000,
		follow: (wake) => store.follow(kind.prefix, from, wake),
	});
	await put('a');
	const seen: string[] = [];
	for await (const bytes of body) {
		seen.push(Buffer.from(bytes).toString());
		if (seen.length === 3) break;
		await put(`b${seen.length}`);
	}
	t.deepEqual(seen, ['ADDED:a ', 'ADDED:b1 ', 'ADDED:b2 ']);
	t.is(encoder.made, 3);
});
