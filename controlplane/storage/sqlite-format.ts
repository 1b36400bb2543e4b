/** The database's form by version, and how an older one becomes the present one. */
import type { DatabaseSync } from 'node:sqlite';

/** `PRAGMA user_version`: raised when the tables change. */
export const FORMAT_VERSION = 2;

/**
 * Objects lie in the order of their writes with an index beside them: as one tree by key, an object of 1 KB would spill over, and a commit would
 * write twice as much.
 */
const TABLES = `
	CREATE TABLE objects (
		key TEXT PRIMARY KEY, revision INTEGER NOT NULL, bytes BLOB NOT NULL, facts TEXT NOT NULL, expires_at INTEGER
	);
	CREATE TABLE state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
	INSERT INTO state VALUES ('revision', 1);
`;

/** By the version they begin at. Version 1 kept the objects as one tree by key. */
const STEPS: Readonly<Record<number, string>> = {
	0: TABLES,
	1: `
		ALTER TABLE objects RENAME TO objects_1;
		CREATE TABLE objects (
			key TEXT PRIMARY KEY, revision INTEGER NOT NULL, bytes BLOB NOT NULL, facts TEXT NOT NULL, expires_at INTEGER
		);
		INSERT INTO objects SELECT key, revision, bytes, facts, expires_at FROM objects_1 ORDER BY revision;
		DROP TABLE objects_1;
	`,
};

export function formatVersion(db: DatabaseSync): number {
	return Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
}

/** Brings the database to the present form, all of it or nothing. */
export function upgrade(db: DatabaseSync): void {
	const from = formatVersion(db);
	if (from === FORMAT_VERSION) return;
	const steps = from === 0 ? [STEPS[0]] : Array.from({ length: FORMAT_VERSION - from }, (_, i) => STEPS[from + i]);
	db.exec('BEGIN IMMEDIATE');
	try {
		for (const step of steps) db.exec(step as string);
		db.exec(`PRAGMA user_version = ${FORMAT_VERSION}`);
		db.exec('COMMIT');
	} catch (error) {
		if (db.isTransaction) db.exec('ROLLBACK');
		throw error;
	}
}
