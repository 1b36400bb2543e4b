/** Copies of a database: taken while it is in use, checked, and put in the place of another one. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../base/errors.ts';
import { explained, RESULT, resultOf, newerVersion } from './sqlite-file.ts';
import { FORMAT_VERSION, formatVersion } from './sqlite-format.ts';
import { ownDatabase } from './sqlite-owner.ts';

export interface DatabaseFacts {
	readonly objects: number;
	readonly revision: bigint;
	/** Of the file, without what is free in it. */
	readonly bytes: number;
	readonly formatVersion: number;
}

/** Reads all of it, as a reader beside its owner. AppError DataLoss names what is wrong; FailedPrecondition for one of a newer version. */
export function checkDatabase(path: string): DatabaseFacts {
	return withDatabase(path, (db) => {
		const version = formatVersion(db);
		if (version > FORMAT_VERSION) throw newerVersion(path, version);
		const problems = db
			.prepare('PRAGMA integrity_check(20)')
			.all()
			.flatMap((row) => String(row['integrity_check']).split('\n'))
			.filter((line) => !line.startsWith('***'));
		if (problems[0] !== 'ok')
			throw new AppError('DataLoss', `The database "${path}" is damaged: ${someOf(problems)}. Restore it from a backup.`);
		const one = (sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0);
		return {
			objects: one('SELECT count(*) FROM objects'),
			revision: BigInt(one("SELECT value FROM state WHERE name = 'revision'")),
			bytes: one('PRAGMA page_count') * one('PRAGMA page_size'),
			formatVersion: version,
		};
	});
}

const SHOWN = 3;

function someOf(problems: readonly string[]): string {
	const more = problems.length - SHOWN;
	return `${problems.slice(0, SHOWN).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** A consistent copy in one file, while the owner goes on. It appears under its name only when it is whole, checked and synced. */
export function backUpDatabase(path: string, to: string): DatabaseFacts {
	if (existsSync(to)) throw new AppError('AlreadyExists', `"${to}" exists already; choose another name, or remove it`);
	const partial = `${to}.partial`;
	rmSync(partial, { force: true });
	try {
		withDatabase(path, (db) => copyInto(db, path, partial));
		const facts = checkDatabase(partial);
		sync(partial);
		renameSync(partial, to);
		sync(dirname(to));
		return facts;
	} finally {
		for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(partial + suffix, { force: true });
	}
}

/**
 * Puts a checked copy in the place of a database that nobody owns; what was there is kept as `FILE.replaced`. Revisions go on from the higher of
 * both, so that no client ever sees one twice.
 */
export function restoreDatabase(from: string, path: string): DatabaseFacts {
	const facts = checkDatabase(from);
	try {
		using _owner = ownDatabase(path);
		const present = existsSync(path) ? revisionOf(path) : 0n;
		const partial = `${path}.partial`;
		rmSync(partial, { force: true });
		withDatabase(from, (db) => copyInto(db, from, partial));
		const revision = (present > facts.revision ? present : facts.revision) + 1n;
		const db = new DatabaseSync(partial);
		db.prepare("UPDATE state SET value = ? WHERE name = 'revision'").run(revision);
		db.close();
		sync(partial);
		if (existsSync(path)) {
			// What is only in its log belongs to it.
			new DatabaseSync(path).close();
			renameSync(path, `${path}.replaced`);
		}
		for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
		renameSync(partial, path);
		sync(dirname(path));
		return { ...facts, revision };
	} catch (error) {
		throw explained(path, error);
	}
}

/** What is the fault of the file that is written. */
const OF_TARGET: readonly number[] = [RESULT.READONLY, RESULT.FULL, RESULT.CANTOPEN];

/** For its owner's eyes only: there are Secrets in it. Errors name the file that they are about. */
function copyInto(db: DatabaseSync, from: string, to: string): void {
	try {
		if (existsSync(dirname(to))) closeSync(openSync(to, 'wx', 0o600));
		db.prepare('VACUUM INTO ?').run(to);
	} catch (error) {
		throw explained(OF_TARGET.includes(resultOf(error)) ? to.replace(/\.partial$/, '') : from, error);
	}
}

/** The newest revision of a database, 0 of one that cannot be read: it is about to be replaced. */
function revisionOf(path: string): bigint {
	try {
		return withDatabase(path, (db) => BigInt(Number(db.prepare("SELECT value FROM state WHERE name = 'revision'").get()?.['value'] ?? 0)));
	} catch {
		return 0n;
	}
}

function withDatabase<T>(path: string, work: (db: DatabaseSync) => T): T {
	if (!existsSync(path)) throw new AppError('NotFound', `There is no database "${path}"`);
	let db: DatabaseSync | undefined;
	try {
		db = new DatabaseSync(path, { readOnly: true });
		db.exec('PRAGMA busy_timeout = 5000');
		return work(db);
	} catch (error) {
		throw explained(path, error);
	} finally {
		db?.close();
	}
}

function sync(path: string): void {
	const file = openSync(path, 'r');
	try {
		fsyncSync(file);
	} finally {
		closeSync(file);
	}
}
