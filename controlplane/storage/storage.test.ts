import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import { idle, VirtualClock } from '../../base/virtual-clock.ts';
import { storeSuite, textOf, value } from '../../test/suites/store-suite.ts';
import { Contents } from './contents.ts';
import { createMemoryStore } from './memory-store.ts';
import type { DurableCommit } from './durability.ts';
import { ServedStore } from './served-store.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

const EMPTY = { revision: 1n, entries: [] };

const virtual = (clock: VirtualClock): { readonly ms: number; readonly pass: (ms: number) => Promise<void> } => ({
	ms: 60_000,
	pass: (ms) => clock.advance(ms),
});

storeSuite(test, 'memory', () => {
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	return Promise.resolve({ store, ttl: virtual(clock), reopen: undefined, dispose: () => store.close() });
});

storeSuite(test, 'sqlite', async () => {
	const clock = new VirtualClock();
	const dir = mkdtempSync(join(tmpdir(), 'kubeling-store-'));
	const path = join(dir, 'state.db');
	const opened: Store[] = [await openSqliteStore({ path, clock })];
	return {
		store: opened[0] as Store,
		ttl: virtual(clock),
		async reopen() {
			await opened.at(-1)?.close();
			const store = await openSqliteStore({ path, clock });
			opened.push(store);
			return store;
		},
		async dispose() {
			await opened.at(-1)?.close();
			rmSync(dir, { recursive: true });
		},
	};
});

const withFolder = async (body: (path: string) => Promise<void>): Promise<void> => {
	const dir = mkdtempSync(join(tmpdir(), 'kubeling-store-'));
	try {
		await body(join(dir, 'state.db'));
	} finally {
		rmSync(dir, { recursive: true });
	}
};

test('sqlite: a corrupt database and one of a newer version are refused in plain words', (t) =>
	withFolder(async (path) => {
		writeFileSync(path, 'this is no database, but long enough to be looked at as one. '.repeat(100));
		const corrupt = await t.throwsAsync(openSqliteStore({ path, clock: realClock }));
		t.is(codeOf(corrupt), 'DataLoss');
		t.regex(messageOf(corrupt), /state\.db" is corrupt: .* Restore it from a copy, or move it away/);
		rmSync(path);
		const db = new DatabaseSync(path);
		db.exec('PRAGMA user_version = 99');
		db.close();
		const newer = await t.throwsAsync(openSqliteStore({ path, clock: realClock }));
		t.is(codeOf(newer), 'FailedPrecondition');
		t.regex(messageOf(newer), /has version 99; this program knows version 2\. Use the program that wrote it/);
	}));

test('sqlite: a database in use is refused in plain words', (t) =>
	withFolder(async (path) => {
		const store = await openSqliteStore({ path, clock: realClock });
		await store.commit([{ key: '/a', expect: 'absent', value: value('a') }]);
		t.regex(messageOf(await t.throwsAsync(openSqliteStore({ path, clock: realClock }))), /is in use by another process/);
		await store.close();
	}));

test('sqlite: whoever closes a store that is being closed waits for the same end', (t) =>
	withFolder(async (path) => {
		const store = await openSqliteStore({ path, clock: realClock });
		const written = store.commit([{ key: '/a', expect: 'absent', value: value('a') }]);
		const closed = store.close();
		await store.close();
		const next = await openSqliteStore({ path, clock: realClock });
		t.is(textOf(next.get('/a')?.value), 'a');
		await Promise.all([written, closed, next.close()]);
	}));

test('a lost durability is fatal: nothing unacknowledged is seen, nothing is written after', async (t) => {
	const fatal: unknown[] = [];
	let fail = false;
	const durability = { append: () => (fail ? Promise.reject(new Error('fsync')) : Promise.resolve()), close: () => Promise.resolve() };
	const store = new ServedStore({
		clock: new VirtualClock(),
		durability,
		contents: new Contents(EMPTY),
		fatal: (error) => fatal.push(error),
	});
	await store.commit([{ key: '/a', expect: 'absent', value: value('1') }]);
	fail = true;
	t.is(codeOf(await t.throwsAsync(store.commit([{ key: '/b', expect: 'absent', value: value('2') }]))), 'DataLoss');
	t.is(fatal.length, 1);
	t.is(store.get('/b'), undefined);
	fail = false;
	await t.throwsAsync(store.commit([{ key: '/c', expect: 'absent', value: value('3') }]));
});

test('a write that found no room is refused alone: as if it had never been asked for', async (t) => {
	let full = false;
	const durability = {
		append: () => (full ? Promise.reject(new AppError('ResourceExhausted', 'full')) : Promise.resolve()),
		close: () => Promise.resolve(),
	};
	const fatal: unknown[] = [];
	const deps = { durability, contents: new Contents(EMPTY), fatal: (error: unknown) => fatal.push(error) };
	const store = new ServedStore({ clock: new VirtualClock(), ...deps });
	const a = await store.commit([{ key: '/a', expect: 'absent', value: value('1') }]);
	full = true;
	t.is(codeOf(await t.throwsAsync(store.commit([{ key: '/a', expect: a, value: value('2') }]))), 'ResourceExhausted');
	t.is(textOf(store.get('/a')?.value), '1');
	t.is(await store.fresh(undefined, AbortSignal.timeout(60_000)), a);
	full = false;
	const b = await store.commit([{ key: '/a', expect: a, value: value('3') }]);
	t.true(b > a);
	t.is(textOf(store.get('/a')?.value), '3');
	t.deepEqual(fatal, []);
});

test('writes that come until a group is gathered go together, those after it form the next, and closing waits for both', async (t) => {
	const groups: string[][] = [];
	let gathering = Promise.withResolvers<void>();
	const appended = Promise.withResolvers<void>();
	const durability = {
		gathered: () => gathering.promise,
		append: (commits: readonly DurableCommit[]) => {
			groups.push(commits.flatMap(({ writes }) => writes.map(({ key }) => key)));
			return groups.length === 1 ? appended.promise : Promise.resolve();
		},
		close: () => Promise.resolve(),
	};
	const store = new ServedStore({
		clock: new VirtualClock(),
		durability,
		contents: new Contents(EMPTY),
		fatal: (error) => t.fail(error.message),
	});
	const put = (key: string): Promise<bigint> => store.commit([{ key, expect: 'absent', value: value('x') }]);
	const first = put('/a');
	await turn();
	const second = put('/b');
	t.deepEqual(groups, []);
	gathering.resolve();
	await turn();
	gathering = Promise.withResolvers();
	const third = put('/c');
	appended.resolve();
	t.true((await first) < (await second));
	const closed = store.close();
	await turn();
	t.deepEqual(groups, [['/a', '/b']]);
	gathering.resolve();
	t.is(await third, store.revision());
	await closed;
	t.deepEqual(groups, [['/a', '/b'], ['/c']]);
});

test('a large group becomes visible and is answered in several turns, in order; reads and the end wait for the rest', async (t) => {
	const store = createMemoryStore(new VirtualClock());
	const begin = store.revision();
	const answered: number[] = [];
	const seen = new Set<number>();
	const commits = Array.from({ length: 70 }, async (_, i) => {
		const revision = await store.commit([{ key: `/many/${i}`, expect: 'absent', value: value('x') }]);
		t.is(store.get(`/many/${i}`)?.revision, revision);
		answered.push(i);
		seen.add(store.list('/many/', {}).entries.length);
	});
	const inTurns = new Set<number>();
	while (answered.length < 48) {
		await turn();
		inTurns.add(answered.length);
	}
	t.deepEqual([...inTurns].slice(-3), [16, 32, 48]);
	const last = begin + 70n;
	t.is(await store.fresh(last, AbortSignal.timeout(60_000)), last);
	await store.close();
	t.deepEqual(
		answered,
		Array.from({ length: 70 }, (_, i) => i),
	);
	await Promise.all(commits);
	t.deepEqual([...seen], [16, 32, 48, 64, 70]);
});

test('a write is not readable before it is durable', async (t) => {
	const gate = Promise.withResolvers<void>();
	const durability = { append: () => gate.promise, close: () => Promise.resolve() };
	const store = new ServedStore({ clock: new VirtualClock(), durability, contents: new Contents(EMPTY), fatal: () => {} });
	const done = store.commit([{ key: '/a', expect: 'absent', value: value('1') }]);
	await new Promise((resolve) => setImmediate(resolve));
	t.is(store.get('/a'), undefined);
	t.is(store.revision(), 1n);
	gate.resolve();
	t.is(await done, 2n);
	t.is(textOf(store.get('/a')?.value), '1');
});

test('sqlite: kill -9 under load loses nothing that was acknowledged', (t) =>
	withFolder(async (path) => {
		for (let round = 0; round < 3; round++) {
			const child = fork(new URL('../../test/crash/store-writer.ts', import.meta.url), [path, String(round)], {
				execArgv: ['--disable-warning=ExperimentalWarning'],
				stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
			});
			const acknowledged: string[] = [];
			const enough = Promise.withResolvers<void>();
			child.on('message', (key: string) => {
				acknowledged.push(key);
				if (acknowledged.length === 300) enough.resolve();
			});
			await enough.promise;
			const ended = once(child, 'exit');
			child.kill('SIGKILL');
			t.deepEqual(await ended, [null, 'SIGKILL']);
			const store = await openSqliteStore({ path, clock: realClock });
			const missing = acknowledged.filter((key) => textOf(store.get(key)?.value) !== key);
			t.deepEqual(missing, []);
			await store.close();
		}
	}));

test('a commit of two keys that waits for one is not overtaken on the other', async (t) => {
	const gates: (() => void)[] = [];
	const durability = {
		append: () => new Promise<void>((resolve) => gates.push(resolve)),
		close: () => Promise.resolve(),
	};
	const store = new ServedStore({ clock: new VirtualClock(), durability, contents: new Contents(EMPTY), fatal: () => {} });
	const open = async (): Promise<void> => {
		await new Promise((resolve) => setImmediate(resolve));
		gates.shift()?.();
	};
	const made = store.commit([
		{ key: '/one', expect: 'absent', value: value('1') },
		{ key: '/two', expect: 'absent', value: value('1') },
	]);
	await open();
	const first = await made;
	const two = store.commit([{ key: '/two', expect: first, value: value('2') }]);
	const both = store.commit([
		{ key: '/one', expect: first, value: value('both') },
		{ key: '/two', expect: first + 1n, value: value('both') },
	]);
	await new Promise((resolve) => setImmediate(resolve)); // the first is being written
	const one = store.commit([{ key: '/one', expect: first, value: value('one') }]);
	const outcomes = Promise.allSettled([two, both, one]);
	for (let i = 0; i < 4; i++) await open();
	t.deepEqual(
		(await outcomes).map((o) => (o.status === 'fulfilled' ? 'done' : codeOf(o.reason))),
		['done', 'Aborted', 'done'],
	);
	t.is(textOf(store.get('/one')?.value), 'one');
	await store.close();
});

test('a flood of keys with a time to live goes as fast as it came', async (t) => {
	// Groups of a thousand are answered in 63 turns each.
	const clock = new VirtualClock(undefined, undefined, () => idle(400));
	const store = createMemoryStore(clock);
	await Promise.all(
		Array.from({ length: 5000 }, (_, i) => store.commit([{ key: `/e/${i}`, expect: 'absent', value: value('e'), ttlMs: 1000 }])),
	);
	await clock.advance(21_000);
	t.is(store.list('/e/', {}).entries.length, 0);
	await store.close();
});

test('history takes a bounded share of memory: the oldest revisions are compacted before their time', async (t) => {
	const store = createMemoryStore(new VirtualClock());
	const large = { ...value('x'), bytes: new Uint8Array(1024 * 1024) };
	let expect = await store.commit([{ key: '/x', expect: 'absent', value: large }]);
	const first = expect;
	for (let i = 0; i < 200; i++) expect = await store.commit([{ key: '/x', expect, value: large }]);
	t.is(codeOf(t.throws(() => store.get('/x', first))), 'OutOfRange');
	t.is(store.get('/x', expect - 10n)?.revision, expect - 10n);
	t.true(expect - store.compacted() < 70n);
	await store.close();
});

test('compaction of a long history takes many short turns, and forgets all of it', async (t) => {
	const store = createMemoryStore(new VirtualClock());
	await Promise.all(Array.from({ length: 5000 }, (_, i) => store.commit([{ key: `/c/${i}`, expect: 'absent', value: value('1') }])));
	const before = store.revision();
	let turns = 0;
	const compacting = store.compact(before);
	const count = (): void => {
		if (store.compacted() === before) return;
		turns++;
		setImmediate(count);
	};
	count();
	await compacting;
	t.true(turns >= 4, `${turns} turns`);
	t.is(store.compacted(), before);
	t.is(codeOf(t.throws(() => store.watch('/c/', before - 1n, AbortSignal.abort()))), 'OutOfRange');
	await store.close();
});
