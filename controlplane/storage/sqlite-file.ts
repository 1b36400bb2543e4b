/** The database file: opened for its owner, read whole, and its errors in plain words. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Loaded, LoadedEntry } from './durability.ts';
import type { Sealing } from './encryption/sealing.ts';
import { FORMAT_VERSION, formatVersion, upgrade } from './sqlite-format.ts';
import { fromRow } from './sqlite-row.ts';

/** Opens for the one process that owns it: every commit is in the log and synced before it returns. */
export function openDatabase(path: string): DatabaseSync {
	closeSync(openSync(path, 'a', 0o600)); // the log beside it gets the same mode
	const db = new DatabaseSync(path);
	try {
		// The version first: a database of a newer program must stay as it is.
		const version = formatVersion(db);
		if (version > FORMAT_VERSION) throw newerVersion(path, version);
	} catch (error) {
		db.close();
		throw error;
	}
	db.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2000;');
	return db;
}

/**
 * Makes the file where there is none, checks it, and reads it: its entries while they are asked for. AppError DataLoss, FailedPrecondition or
 * Unavailable, in plain words.
 */
export function loadDatabase(path: string, sealing?: Sealing): Loaded {
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	let db: DatabaseSync | undefined;
	try {
		db = openDatabase(path);
		upgrade(db);
		const revision = BigInt(db.prepare("SELECT value FROM state WHERE name = 'revision'").get()?.['value'] as number);
		return { revision, entries: entriesOf(path, db, sealing) };
	} catch (error) {
		db?.close();
		throw explained(path, error);
	}
}

/** Closes the database behind the last one. */
function* entriesOf(path: string, db: DatabaseSync, sealing: Sealing | undefined): Generator<LoadedEntry, void> {
	try {
		for (const row of db.prepare('SELECT key, revision, bytes, facts, expires_at FROM objects ORDER BY key').iterate()) {
			const { key, bytes, facts, expires_at } = row as { key: string; bytes: Uint8Array; facts: string; expires_at: number | null };
			const entry = { key, revision: BigInt(row['revision'] as number), value: fromRow(key, { bytes, facts }, sealing) };
			yield { entry, expiresAt: expires_at ?? undefined };
		}
	} catch (error) {
		throw explained(path, error);
	} finally {
		db.close();
	}
}

export function newerVersion(path: string, version: number): AppError {
	return new AppError(
		'FailedPrecondition',
		`The database "${path}" has version ${version}; this program knows version ${FORMAT_VERSION}. Use the program that wrote it, or another data folder.`,
	);
}

/** SQLite's primary result codes. */
export const RESULT = { BUSY: 5, LOCKED: 6, READONLY: 8, IOERR: 10, FULL: 13, CANTOPEN: 14 } as const;

/** What went wrong, as SQLite would tell it: files are opened by the system's own calls as well. 0 for none of these. */
export function resultOf(error: unknown): number {
	const { errcode, syscall, code } = error as { readonly errcode?: number; readonly syscall?: string; readonly code?: string };
	if (syscall === undefined) return (errcode ?? 0) & 0xff;
	if (code === 'ENOSPC' || code === 'EDQUOT') return RESULT.FULL;
	return code === 'EIO' ? RESULT.IOERR : RESULT.CANTOPEN;
}

/** Errors of SQLite and of its files as one plain message with the next step. */
export function explained(path: string, error: unknown): AppError {
	if (error instanceof AppError) return error;
	switch (resultOf(error)) {
		case RESULT.BUSY:
		case RESULT.LOCKED:
			return new AppError(
				'Unavailable',
				`The database "${path}" is in use by another process. Stop that one, or use another data folder.`,
				{
					cause: error,
				},
			);
		case RESULT.READONLY:
		case RESULT.CANTOPEN:
			return new AppError(
				'PermissionDenied',
				`Cannot open the database "${path}" for writing: ${messageOf(error)}. Check the folder and its permissions.`,
				{
					cause: error,
				},
			);
		case RESULT.FULL:
			return new AppError(
				'ResourceExhausted',
				`The disk of the database "${path}" is full. Free some space and try again; nothing that was answered is lost.`,
				{
					cause: error,
				},
			);
		case RESULT.IOERR:
			return new AppError('DataLoss', `The disk of the database "${path}" fails: ${messageOf(error)}. Check the disk, then start again.`, {
				cause: error,
			});
	}
	return new AppError(
		'DataLoss',
		`The database "${path}" is corrupt: ${messageOf(error)}. Restore it from a copy, or move it away to start empty.`,
		{ cause: error },
	);
}
