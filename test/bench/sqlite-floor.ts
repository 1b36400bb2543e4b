/** The floor of durable writes: rows a second of raw SQLite with random keys in batches of 64, WAL, synchronous FULL. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** As one tree by key (''WITHOUT ROWID''), or in order of writing with an index beside it, as the store has it (''). */
export function sqliteRows(dir: string, name: string, form: 'WITHOUT ROWID' | ''): number {
	const db = new DatabaseSync(join(dir, `${name}.db`));
	db.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(k TEXT PRIMARY KEY, v BLOB) ${form}`);
	const insert = db.prepare('INSERT INTO t VALUES (?, ?)');
	const value = Buffer.alloc(1024, 'x');
	const rows = 12_800;
	const keys = Array.from({ length: rows }, () => `/core/configmaps/default/bench-${randomUUID()}`);
	const from = performance.now();
	for (let i = 0; i < rows; i += 64) {
		db.exec('BEGIN');
		for (const key of keys.slice(i, i + 64)) insert.run(key, value);
		db.exec('COMMIT');
	}
	const rate = rows / ((performance.now() - from) / 1000);
	db.close();
	return rate;
}
