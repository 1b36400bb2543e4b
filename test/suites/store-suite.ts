/** What every Store must do. Run it on each implementation: the same tables, the same order of events. */
import type { ExecutionContext, SerialFn, TestFn } from 'ava';
import { codeOf } from '../../base/errors.ts';
import type { Change, Encoded, Store } from '../../controlplane/storage/store.ts';

export function value(text: string, labels: Readonly<Record<string, string>> = {}): Encoded {
	return { bytes: new TextEncoder().encode(JSON.stringify({ text })), versionAt: 1, labels, fields: { 'metadata.name': text } };
}

export function textOf(encoded: Encoded | undefined): string | undefined {
	return encoded === undefined ? undefined : (JSON.parse(new TextDecoder().decode(encoded.bytes)) as { text: string }).text;
}

interface Opened {
	readonly store: Store;
	/** A time to live the store can keep, ms, and how to let it pass; where it passes by itself, the suite waits for what it brings. */
	readonly ttl: { readonly ms: number; readonly pass: ((ms: number) => Promise<void>) | undefined };
	/** Closes and opens again; undefined for stores that forget. */
	readonly reopen: (() => Promise<Store>) | undefined;
	readonly dispose: () => Promise<void>;
}

export function storeSuite(test: TestFn | SerialFn, name: string, open: () => Promise<Opened>): void {
	const it = (rule: string, body: (t: ExecutionContext, opened: Opened) => Promise<void>): void =>
		test(`${name}: ${rule}`, async (t) => {
			const opened = await open();
			try {
				await body(t, opened);
			} finally {
				await opened.dispose();
			}
		});

	it('create, update and delete each name the revision they expect', async (t, { store }) => {
		const one = await store.commit([{ key: '/a/x', expect: 'absent', value: value('1', { app: 'x' }) }]);
		t.is(store.get('/a/x')?.revision, one);
		t.deepEqual(store.get('/a/x')?.value.labels, { app: 'x' });
		const two = await store.commit([{ key: '/a/x', expect: one, value: value('2') }]);
		t.true(two > one);
		for (const expect of ['absent', one] as const)
			t.is(codeOf(await t.throwsAsync(store.commit([{ key: '/a/x', expect, value: value('3') }]))), 'Aborted');
		t.is(textOf(store.get('/a/x')?.value), '2');
		await store.commit([{ key: '/a/x', expect: two }]);
		t.is(store.get('/a/x'), undefined);
		t.is(codeOf(await t.throwsAsync(store.commit([{ key: '/a/x', expect: two }]))), 'Aborted');
	});

	it('what is durable takes bytes', async (t, { store, reopen }) => {
		await store.commit([{ key: '/a/x', expect: 'absent', value: value('1') }]);
		const bytes = await store.diskBytes?.();
		// A store that remembers keeps it somewhere.
		if (reopen !== undefined) t.true((bytes ?? 0) > 0);
		else t.is(bytes === undefined || bytes > 0, true);
	});

	it('a commit is all or nothing', async (t, { store }) => {
		await store.commit([{ key: '/a', expect: 'absent', value: value('1') }]);
		const before = store.revision();
		const both = [{ key: '/b', expect: 'absent', value: value('b') } as const, { key: '/a', expect: 'absent', value: value('a') } as const];
		t.regex((await t.throwsAsync(store.commit(both)))?.message ?? '', /"\/a"/);
		t.is(store.get('/b'), undefined);
		t.is(store.revision(), before);
	});

	it('of writers that race for one revision exactly one wins each round', async (t, { store }) => {
		const first = await store.commit([{ key: '/n', expect: 'absent', value: value('0') }]);
		let expect = first;
		for (let round = 0; round < 5; round++) {
			const results = await Promise.allSettled(
				Array.from({ length: 8 }, (_, i) => store.commit([{ key: '/n', expect, value: value(`${round}.${i}`) }])),
			);
			t.is(results.filter((r) => r.status === 'fulfilled').length, 1);
			for (const r of results) if (r.status === 'rejected') t.is(codeOf(r.reason), 'Aborted');
			expect = store.get('/n')?.revision ?? 0n;
		}
	});

	it('injected conflicts: read-modify-write with retries loses no increment', async (t, { store }) => {
		await store.commit([{ key: '/n', expect: 'absent', value: value('0') }]);
		let conflicts = 0;
		const increment = async (): Promise<void> => {
			for (;;) {
				const entry = store.get('/n');
				if (entry === undefined) return;
				await Promise.resolve();
				try {
					await store.commit([{ key: '/n', expect: entry.revision, value: value(String(Number(textOf(entry.value)) + 1)) }]);
					return;
				} catch (error) {
					if (codeOf(error) !== 'Aborted') throw error;
					conflicts++;
				}
			}
		};
		await Promise.all(Array.from({ length: 20 }, increment));
		t.is(textOf(store.get('/n')?.value), '20');
		t.true(conflicts > 0);
	});

	it('a list asked for again shows what was written meanwhile, under it, around it and beside it', async (t, { store }) => {
		const texts = (prefix: string): unknown[] => store.list(prefix, {}).entries.map((e) => textOf(e.value));
		const rounds: readonly [Parameters<Store['commit']>[0][number], Readonly<Record<string, readonly string[]>>][] = [
			[
				{ key: '/l/a/1', expect: 'absent', value: value('1') },
				{ '/l/a/': ['1'], '/l/': ['1'], '/l/b/': [] },
			],
			[
				{ key: '/l/b/1', expect: 'absent', value: value('2') },
				{ '/l/a/': ['1'], '/l/': ['1', '2'], '/l/b/': ['2'] },
			],
			[
				{ key: '/l/a/0', expect: 'absent', value: value('0') },
				{ '/l/a/': ['0', '1'], '/l/': ['0', '1', '2'], '/l/b/': ['2'] },
			],
		];
		for (const [write, wanted] of rounds) {
			const revision = await store.commit([write]);
			for (const [prefix, list] of Object.entries(wanted)) t.deepEqual(texts(prefix), list);
			t.is(store.list('/l/b/', {}).revision, revision);
		}
		const first = store.get('/l/a/0');
		await store.commit([{ key: '/l/a/0', expect: first?.revision ?? 0n, value: value('9') }]);
		t.deepEqual(texts('/l/'), ['9', '1', '2']);
		await store.commit([{ key: '/l/a/0', expect: store.get('/l/a/0')?.revision ?? 0n }]);
		t.deepEqual([texts('/l/'), texts('/l/a/')], [['1', '2'], ['1']]);
	});

	it('lists in byte order, in pages, exact at older revisions until compaction', async (t, { store }) => {
		const names = ['b', 'a', 'c', 'a-b', 'ab', 'd'];
		for (const n of names) await store.commit([{ key: `/p/${n}`, expect: 'absent', value: value(n) }]);
		await store.commit([{ key: '/q/z', expect: 'absent', value: value('z') }]);
		const at = store.revision();
		const first = store.list('/p/', { limit: 4 });
		t.deepEqual(
			first.entries.map((e) => e.key),
			['/p/a', '/p/a-b', '/p/ab', '/p/b'],
		);
		t.deepEqual([first.more, first.remaining, first.revision], [true, 2, at]);
		const c = store.get('/p/c')?.revision ?? 0n;
		await store.commit([{ key: '/p/c', expect: c }]);
		await store.commit([{ key: '/p/bb', expect: 'absent', value: value('bb') }]);
		await store.commit([{ key: '/p/d', expect: store.get('/p/d')?.revision ?? 0n, value: value('d2') }]);
		const rest = store.list('/p/', { after: '/p/b', limit: 4, at });
		t.deepEqual(
			rest.entries.map((e) => textOf(e.value)),
			['c', 'd'],
		);
		t.deepEqual([rest.more, rest.remaining, rest.revision], [false, 0, at]);
		t.deepEqual(
			store.list('/p/', { after: '/p/b' }).entries.map((e) => textOf(e.value)),
			['bb', 'd2'],
		);
		const middle = store.list('/p/', { after: '/p/a', limit: 2, at });
		t.deepEqual([middle.entries.map((e) => textOf(e.value)), middle.more], [['a-b', 'ab'], true]);
		t.true(middle.remaining >= 1);
		t.is(store.get('/p/c', at)?.revision, c);
		const compacted = store.revision();
		await store.compact(compacted);
		t.is(store.compacted(), compacted);
		t.is(codeOf(t.throws(() => store.list('/p/', { at }))), 'OutOfRange');
		t.is(codeOf(t.throws(() => store.get('/p/c', at))), 'OutOfRange');
		t.is(store.list('/p/', {}).entries.length, 6);
	});

	it('watches deliver every change once, in order, from any revision not compacted', async (t, { store }) => {
		const stop = new AbortController();
		const one = await store.commit([{ key: '/w/a', expect: 'absent', value: value('1') }]);
		const late = store.watch('/w/', one, stop.signal);
		const early = store.watch('/w/', one - 1n, stop.signal);
		await store.commit([{ key: '/w/a', expect: one, value: value('2') }]);
		await store.commit([{ key: '/other', expect: 'absent', value: value('no') }]);
		const b = await store.commit([{ key: '/w/b', expect: 'absent', value: value('3') }]);
		await store.commit([{ key: '/w/b', expect: b }]);
		const want = ['/w/a:1>2', '/w/b:undefined>3', '/w/b:3>undefined'];
		t.deepEqual(await take(late, 3), want);
		t.deepEqual(await take(early, 4), ['/w/a:undefined>1', ...want]);
		stop.abort();
		await store.compact(b);
		t.is(codeOf(t.throws(() => store.watch('/w/', one, stop.signal))), 'OutOfRange');
	});

	it('a watch ends with its signal, even while it waits', async (t, { store }) => {
		const stop = new AbortController();
		const watch = store.watch('/w/', store.revision(), stop.signal)[Symbol.asyncIterator]();
		const waiting = watch.next();
		stop.abort();
		t.true((await waiting).done);
	});

	it('a watch that fell behind compaction is told so', async (t, { store }) => {
		const stop = new AbortController();
		const watch = store.watch('/w/', store.revision(), stop.signal)[Symbol.asyncIterator]();
		for (const k of ['a', 'b']) await store.commit([{ key: `/w/${k}`, expect: 'absent', value: value(k) }]);
		await store.compact(store.revision());
		t.is(codeOf(await t.throwsAsync(Promise.resolve(watch.next()))), 'OutOfRange');
		stop.abort();
	});

	it('a follower is woken once for what waits, takes it in pieces, and is told where compaction overtook it', async (t, { store }) => {
		const put = (key: string): Promise<bigint> => store.commit([{ key, expect: 'absent', value: value(key) }]);
		let woken = 0;
		using one = store.follow('/f/', store.revision(), () => woken++);
		using other = store.follow('/f/', store.revision(), () => {});
		t.is(one.take(2), undefined);
		for (const key of ['/f/a', '/g/b', '/f/c', '/f/d']) await put(key);
		t.is(woken, 1);
		const batches = [one.take(2)];
		t.is(other.take(2), batches[0]);
		batches.push(one.take(2), one.take(2));
		t.deepEqual(
			batches.map((batch) => batch?.changes.map((change) => change.key)),
			[['/f/a', '/f/c'], ['/f/d'], undefined],
		);
		t.is(batches[1]?.revision, store.revision());
		await put('/f/e');
		t.is(woken, 2);
		await store.compact(store.revision());
		t.is(codeOf(t.throws(() => one.take(2))), 'OutOfRange');
	});

	it('keys with a time to live go by themselves, and their delete is watched', async (t, { store, ttl }) => {
		const stop = new AbortController();
		const before = store.revision();
		await store.commit([{ key: '/e/1', expect: 'absent', value: value('e'), ttlMs: ttl.ms }]);
		const watch = store.watch('/e/', before, stop.signal);
		await ttl.pass?.(ttl.ms * 0.9);
		// Where time passes by itself, all of it may have passed.
		if (ttl.pass !== undefined) t.truthy(store.get('/e/1'));
		await ttl.pass?.(ttl.ms * 0.5);
		t.deepEqual(await take(watch, 2), ['/e/1:undefined>e', '/e/1:e>undefined']);
		t.is(store.get('/e/1'), undefined);
		stop.abort();
	});

	it('many keys keep their order and their count', async (t, { store }) => {
		const keys = Array.from({ length: 3000 }, (_, i) => `/m/${String((i * 7919) % 3000).padStart(5, '0')}`);
		// So many at once as a busy machine answers within a call's deadline.
		for (let at = 0; at < keys.length; at += 300)
			await Promise.all(keys.slice(at, at + 300).map((key) => store.commit([{ key, expect: 'absent', value: value(key) }])));
		const page = store.list('/m/', { limit: 10, after: '/m/01499' });
		t.deepEqual([page.entries[0]?.key, page.remaining], ['/m/01500', 1490]);
		const sorted = keys.toSorted();
		t.deepEqual(
			store.list('/m/', {}).entries.map((e) => e.key),
			sorted,
		);
	});

	it('a closed and reopened store has all that was acknowledged, and counts on', async (t, { store, reopen }) => {
		const one = await store.commit([{ key: '/d/1', expect: 'absent', value: value('one', { l: '1' }) }]);
		const two = await store.commit([{ key: '/d/2', expect: 'absent', value: value('two') }]);
		const three = await store.commit([{ key: '/d/2', expect: two }]);
		if (reopen === undefined) {
			t.pass();
			return;
		}
		const again = await reopen();
		t.is(again.revision(), three);
		t.deepEqual(again.get('/d/1')?.value.labels, { l: '1' });
		t.is(again.get('/d/1')?.revision, one);
		t.is(again.get('/d/2'), undefined);
		t.is(codeOf(t.throws(() => again.watch('/d/', one, AbortSignal.abort()))), 'OutOfRange');
		t.true((await again.commit([{ key: '/d/2', expect: 'absent', value: value('again') }])) > three);
	});
}

async function take(watch: AsyncIterable<{ readonly changes: readonly Change[] }>, count: number): Promise<string[]> {
	const seen: string[] = [];
	for await (const { changes } of watch) {
		seen.push(...changes.map((c) => `${c.key}:${textOf(c.before?.value)}>${textOf(c.after?.value)}`));
		if (seen.length >= count) break;
	}
	return seen;
}
