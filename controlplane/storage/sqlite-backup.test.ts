/** Databases of an older form become the present one; copies are taken under load, checked, and put back without a revision seen twice. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { type ExecutionContext } from 'ava';
import { realClock } from '../../base/clock.ts';
import { textOf, value } from '../../test/suites/store-suite.ts';
import { backUpDatabase, checkDatabase, restoreDatabase } from './sqlite-backup.ts';
import { FORMAT_VERSION } from './sqlite-format.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

async function inFolder(work: (dir: string) => Promise<void>): Promise<void> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-backup-'));
	try {
		await work(dir);
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
}

const open = (path: string): Promise<Store> => openSqliteStore({ path, clock: realClock });
const create = (store: Store, key: string): Promise<bigint> => store.commit([{ key, expect: 'absent', value: value(key) }]);

/** A database with some objects, closed. */
async function made(path: string, keys: readonly string[]): Promise<bigint> {
	const store = await open(path);
	for (const key of keys) await create(store, key);
	const revision = store.revision();
	await store.close();
	return revision;
}

async function texts(path: string): Promise<readonly (string | undefined)[]> {
	const store = await open(path);
	const found = store.list('/', {}).entries.map((entry) => textOf(entry.value));
	await store.close();
	return found;
}

/** As version 1 wrote it: one tree by key. */
function versionOne(path: string, keys: readonly string[]): void {
	const db = new DatabaseSync(path);
	db.exec(`
		PRAGMA page_size = 8192; PRAGMA journal_mode = WAL;
		CREATE TABLE objects (
			key TEXT PRIMARY KEY, revision INTEGER NOT NULL, bytes BLOB NOT NULL, facts TEXT NOT NULL, expires_at INTEGER
		) WITHOUT ROWID;
		CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
		PRAGMA user_version = 1;
	`);
	const insert = db.prepare('INSERT INTO objects VALUES (?, ?, ?, ?, NULL)');
	keys.forEach((key, i) => {
		const { bytes, ...facts } = value(key);
		insert.run(key, keys.length + 1 - i, bytes, JSON.stringify(facts));
	});
	db.prepare("INSERT INTO state VALUES ('revision', ?)").run(keys.length + 1);
	db.close();
}

test('a database of version 1 is upgraded: every object, its revision and the newest one are kept', (t) =>
	inFolder(async (dir) => {
		const path = join(dir, 'state.db');
		const keys = ['/a', '/b/1', '/b/2', '/c'];
		versionOne(path, keys);
		t.is(checkDatabase(path).formatVersion, 1);
		const store = await open(path);
		t.deepEqual(
			store.list('/', {}).entries.map(({ key, revision, value: found }) => [key, revision, textOf(found)]),
			keys.map((key, i) => [key, BigInt(keys.length + 1 - i), key]),
		);
		t.is(store.revision(), 5n);
		t.is(await create(store, '/d'), 6n);
		await store.close();
		t.deepEqual(checkDatabase(path), { ...checkDatabase(path), formatVersion: FORMAT_VERSION, objects: 5, revision: 6n });
		t.deepEqual(await texts(path), [...keys, '/d']);
	}));

test('an upgrade that fails leaves the database as it was', (t) =>
	inFolder(async (dir) => {
		const path = join(dir, 'state.db');
		versionOne(path, ['/a']);
		const db = new DatabaseSync(path);
		db.exec('CREATE TABLE objects_1 (x)'); // in the way of the upgrade
		db.close();
		await t.throwsAsync(open(path), { message: /state\.db/ });
		t.deepEqual([checkDatabase(path).formatVersion, checkDatabase(path).objects], [1, 1]);
	}));

test('a copy taken under a load of writes is whole: what was acknowledged before, and each write up to one revision', (t) =>
	inFolder(async (dir) => {
		const path = join(dir, 'state.db');
		const store = await open(path);
		const written: { key: string; revision: bigint }[] = [];
		let stop = false;
		const writer = async (w: number): Promise<void> => {
			for (let i = 0; !stop; i++) {
				const key = `/w${w}/${i}`;
				const revision = await create(store, key);
				written.push({ key, revision });
			}
		};
		const writers = Promise.all(Array.from({ length: 16 }, (_, w) => writer(w)));
		const copies: string[] = [];
		for (let n = 0; n < 5; n++) {
			while (written.length < 400 * (n + 1)) await realClock.sleep(1);
			const acknowledged = written.reduce((most, { revision }) => (revision > most ? revision : most), 0n);
			const copy = join(dir, `copy-${n}.db`);
			const facts = backUpDatabase(path, copy);
			t.true(facts.revision >= acknowledged, 'what was acknowledged before is in it');
			t.is((await stat(copy)).mode & 0o777, 0o600, 'there are Secrets in it');
			copies.push(copy);
		}
		stop = true;
		await writers;
		await store.close();
		for (const copy of copies) {
			const { revision } = checkDatabase(copy);
			const want = written.filter((one) => one.revision <= revision).map(({ key }) => key);
			t.deepEqual([...(await texts(copy))].sort(), want.sort(), 'exactly the writes up to its revision');
		}
		t.false((await readdir(dir)).some((name) => name.includes('partial')));
	}));

test('a copy never takes the place of a file, and one of nothing is refused', (t) =>
	inFolder(async (dir) => {
		const path = join(dir, 'state.db');
		await made(path, ['/a']);
		await writeFile(join(dir, 'mine'), 'precious');
		t.throws(() => backUpDatabase(path, join(dir, 'mine')), { message: /"[^"]*mine" exists already; choose another name, or remove it/ });
		t.is(await readFile(join(dir, 'mine'), 'utf8'), 'precious');
		t.throws(() => backUpDatabase(join(dir, 'none.db'), join(dir, 'copy')), { message: /There is no database "[^"]*none\.db"/ });
		t.false(existsSync(join(dir, 'copy')));
		t.throws(() => backUpDatabase(path, join(dir, 'nowhere', 'copy')), {
			message: /Cannot open the database ".*nowhere\/copy" for writing/,
		});
	}));

test('a copy is put back: its objects, revisions that go on, what was there kept beside it', (t) =>
	inFolder(async (dir) => {
		const [path, copy] = [join(dir, 'state.db'), join(dir, 'copy.db')];
		await made(path, ['/a', '/b']);
		const taken = backUpDatabase(path, copy);
		const later = await made(path, ['/c', '/d', '/e']);
		const restored = restoreDatabase(copy, path);
		t.true(restored.revision > later, 'no revision is seen twice');
		t.is(restored.objects, taken.objects);
		t.deepEqual(await texts(path), ['/a', '/b']);
		t.deepEqual(await texts(`${path}.replaced`), ['/a', '/b', '/c', '/d', '/e']);
		const store = await open(path);
		t.true((await create(store, '/c')) > later);
		await store.close();
		t.false((await readdir(dir)).some((name) => name.includes('partial')));
	}));

test('a copy is put in the place of nothing, of a damaged database, and of what a crash left', (t) =>
	inFolder(async (dir) => {
		const [path, copy] = [join(dir, 'state.db'), join(dir, 'copy.db')];
		await made(join(dir, 'other.db'), ['/a']);
		versionOne(copy, ['/old']);
		for (const present of [undefined, 'no database at all', '']) {
			if (present !== undefined) await writeFile(path, present);
			await writeFile(`${path}.partial`, 'left over');
			restoreDatabase(copy, path);
			t.deepEqual(await texts(path), ['/old'], 'an older form is upgraded when it is opened');
			if (present !== undefined) t.is(await readFile(`${path}.replaced`, 'utf8'), present);
			await rm(path);
		}
	}));

test('a database in use is not replaced', (t) =>
	inFolder(async (dir) => {
		const [path, copy] = [join(dir, 'state.db'), join(dir, 'copy.db')];
		const store = await open(path);
		await create(store, '/a');
		backUpDatabase(path, copy);
		await create(store, '/b');
		t.throws(() => restoreDatabase(copy, path), { message: /The database ".*state\.db" is in use by another process\. Stop that one/ });
		await create(store, '/c');
		await store.close();
		t.deepEqual(await texts(path), ['/a', '/b', '/c']);
	}));

async function damaged(copy: string): Promise<void> {
	const bytes = await readFile(copy);
	bytes.fill(0xa5, 8192 + 100, bytes.length - 100);
	await writeFile(copy, bytes);
}

const unusable: readonly (readonly [what: string, harm: (copy: string) => Promise<void> | void, message: RegExp])[] = [
	['damaged', damaged, /copy\.db" is (damaged|corrupt): /],
	['no database', (copy) => writeFile(copy, 'hello, this is some text'), /copy\.db" is corrupt: /],
	['cut', async (copy) => writeFile(copy, (await readFile(copy)).subarray(0, 9000)), /copy\.db" is (damaged|corrupt): /],
	[
		'newer',
		(copy) => {
			const db = new DatabaseSync(copy);
			db.exec('PRAGMA user_version = 99');
			db.close();
		},
		/copy\.db" has version 99; this program knows version \d+\. Use the program that wrote it/,
	],
	['not there', (copy) => rm(copy), /There is no database ".*copy\.db"/],
];
for (const [what, harm, message] of unusable)
	test(`a copy that is ${what} is refused, and the database stays`, (t: ExecutionContext) =>
		inFolder(async (dir) => {
			const [path, copy] = [join(dir, 'state.db'), join(dir, 'copy.db')];
			await made(path, ['/a', '/b']);
			backUpDatabase(path, copy);
			await harm(copy);
			for (const refused of [() => checkDatabase(copy), () => restoreDatabase(copy, path)]) {
				const error = t.throws(refused);
				t.regex(error.message, message);
			}
			t.deepEqual(await texts(path), ['/a', '/b']);
			t.false(existsSync(`${path}.replaced`));
		}));
