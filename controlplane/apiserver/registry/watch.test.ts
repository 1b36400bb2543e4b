/** How watches and reads begin: at a version that is there, that is to come, or that is gone. */
import test from 'ava';
import { CONFIG_MAPS } from '../../../api/resources.ts';
import { StatusError } from '../../../api/status.ts';
import { Turns } from '../../../base/turns.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import type { ApiRequest } from '../contracts.ts';
import { eventEncoder } from '../answer/events.ts';
import { listOptions } from '../request/options.ts';
import type { Parts } from './context.ts';
import { freshAs } from './freshness.ts';
import { makeKind } from './kinds.ts';
import { list } from './list.ts';
import { OpenWatches } from './open-watches.ts';
import { EVERYTHING, selection } from './selection.ts';
import { watch } from './watch.ts';

const kind = makeKind(CONFIG_MAPS);
const { signal } = new AbortController();
const CREATED = '2026-01-01T00:00:00Z';
type Event = { readonly type: string; readonly object: Record<string, unknown> };

async function setUp() {
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	const put = (name: string): Promise<bigint> => {
		const value = kind.encode({
			apiVersion: 'v1',
			kind: 'ConfigMap',
			metadata: { name, namespace: 'default', creationTimestamp: CREATED },
		});
		return store.commit([{ key: `${kind.prefix}default/${name}`, expect: 'absent', value }]);
	};
	for (const name of ['a', 'b']) await put(name);
	const parts = { store, clock, turns: new Turns(clock), watches: new OpenWatches() } as unknown as Parts;
	const events = async (text: string, ms: number, of = parts): Promise<readonly Event[]> => {
		const query = new URLSearchParams(text);
		const { encoder } = eventEncoder({ headers: {}, query } as unknown as ApiRequest, kind, () => 0);
		const begun = watch(of, { kind, namespace: '', name: '' }, listOptions(query, true), encoder, { signal });
		await clock.advance(ms);
		let seen = '';
		const body = await begun;
		body.start({ write: (bytes) => (seen += Buffer.from(bytes).toString()) !== '', end: () => (seen += '{"type":"END"}\n') });
		await clock.advance(0);
		body.close();
		return seen
			.split('\n')
			.slice(0, -1)
			.map((line) => JSON.parse(line) as Event);
	};
	return { clock, store, parts, put, events };
}

for (const [query, want] of [
	['', ['ADDED', 'ADDED']],
	['allowWatchBookmarks=true', ['ADDED', 'ADDED', 'BOOKMARK']],
	['allowWatchBookmarks=true&resourceVersion=0', ['ADDED', 'ADDED', 'BOOKMARK']],
	['allowWatchBookmarks=true&resourceVersion=2', ['ADDED']],
	['allowWatchBookmarks=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', []],
	['timeoutSeconds=-5', ['END']],
] as const)
	test(`a watch with "${query}" begins with ${want.join(', ') || 'nothing'}`, async (t) => {
		const { events } = await setUp();
		t.deepEqual(
			(await events(query, 0)).map(({ type }) => type),
			want,
		);
	});

test('a watch list of a version to come waits a while, then ends with an error', async (t) => {
	const { events } = await setUp();
	const [error, end] = await events('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=99', 3000);
	t.like(error, { type: 'ERROR', object: { code: 504, message: 'Timeout: Too large resource version: 99, current: 3' } });
	t.is(end?.type, 'END');
});

test('a read of a version to come waits until it is there, but not for long', async (t) => {
	const { clock, parts, put } = await setUp();
	let done = false;
	const read = freshAs(parts, 4n, signal).then(() => (done = true));
	await clock.advance(1000);
	t.false(done);
	await put('c');
	await clock.advance(50);
	await read;
	const refused = t.throwsAsync(freshAs(parts, 99n, signal), { instanceOf: StatusError });
	await clock.advance(3000);
	t.like((await refused)?.status, { code: 504, details: { retryAfterSeconds: 1 } });
});

test('an exact list of what is compacted is refused in the words of lists', async (t) => {
	const { store, parts } = await setUp();
	await store.compact(3n);
	const options = listOptions(new URLSearchParams('resourceVersion=2&resourceVersionMatch=Exact'), false);
	await t.throwsAsync(list(parts, kind, '', EVERYTHING, options, signal), {
		instanceOf: StatusError,
		message: 'The resourceVersion for the provided list is too old.',
	});
});

test('one object of one namespace is found at once, and nothing follows it', async (t) => {
	const { parts } = await setUp();
	const fields = 'metadata.name=a,metadata.namespace=default';
	const options = listOptions(new URLSearchParams('limit=1'), false);
	const found = await list(parts, kind, '', selection(kind, '', fields), options, signal);
	t.deepEqual([found.entries.length, found.fetched, found.continue], [1, 1, '']);
});

for (const [query, isAsked] of [
	['', true],
	['limit=1', true],
	['resourceVersion=0', false],
	['resourceVersion=2', false],
] as const)
	test(`where others write too, ${isAsked ? 'the newest is asked for' : 'what is known will do'}: "${query}"`, async (t) => {
		const { parts, events } = await setUp();
		const asked: (bigint | undefined)[] = [];
		const { store } = parts;
		const fresh: typeof store.fresh = (min, ending) => (asked.push(min), store.fresh(min, ending));
		const shared = {
			...parts,
			store: new Proxy(store, { get: (of, key) => (key === 'shared' ? true : key === 'fresh' ? fresh : bound(of, key)) }),
		};
		await list(shared, kind, '', EVERYTHING, listOptions(new URLSearchParams(query), false), signal);
		await events(query.replace(/limit.*/, ''), 0, shared);
		t.deepEqual(asked.filter((min) => min === undefined).length, isAsked ? 2 : 0);
	});

function bound(store: Parts['store'], key: string | symbol): unknown {
	const value = store[key as keyof typeof store] as unknown;
	return typeof value === 'function' ? (value.bind(store) as unknown) : value;
}
