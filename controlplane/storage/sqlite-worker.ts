/** The worker that only commits: one transaction a message, answered after its sync. Its own entry point of the bundle. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';
import { openDatabase } from './sqlite-file.ts';
import { isKept, type WorkerAnswer, type WorkerRequest } from './sqlite-messages.ts';

const port = parentPort;
if (port === null) throw new Error('This file runs as a worker thread');
let opened: ReturnType<typeof open> | undefined;

function open(path: string): Readonly<{ db: DatabaseSync; put: StatementSync; remove: StatementSync; setRevision: StatementSync }> {
	const db = openDatabase(path);
	return {
		db,
		put: db.prepare('INSERT OR REPLACE INTO objects (key, revision, bytes, facts, expires_at) VALUES (?, ?, ?, ?, ?)'),
		remove: db.prepare('DELETE FROM objects WHERE key = ?'),
		setRevision: db.prepare("UPDATE state SET value = ? WHERE name = 'revision'"),
	};
}

function database(): ReturnType<typeof open> {
	if (opened === undefined) throw new Error('the database is not open');
	return opened;
}

function commit({ blob, rows, revision }: Extract<WorkerRequest, { type: 'commit' }>): void {
	const { db, put, remove, setRevision } = database();
	db.exec('BEGIN IMMEDIATE');
	for (const row of rows) {
		if (row.facts === undefined) remove.run(row.key);
		else put.run(row.key, row.revision, blob.subarray(row.start, row.end), row.facts, row.expiresAt ?? null);
	}
	setRevision.run(revision);
	db.exec('COMMIT');
}

/**
 * True when the transaction is gone without a trace. A full disk shows itself before the commit's record is whole in the log, and SQLite
 * then forgets what it wrote; what it could not forget nobody may build on.
 */
function undo(): boolean {
	try {
		const { db } = database();
		if (db.isTransaction) db.exec('ROLLBACK');
		return true;
	} catch {
		return false;
	}
}

port.on('message', (request: WorkerRequest) => {
	if (request.type === 'open') {
		opened = open(request.path); // what it throws ends this thread, which its owner hears of
		return;
	}
	const blob = request.type === 'commit' && isKept(request.blob) ? request.blob : undefined;
	const answer = (a: WorkerAnswer): void => port.postMessage({ ...a, blob }, blob === undefined ? [] : [blob.buffer]);
	try {
		switch (request.type) {
			case 'commit':
				commit(request);
				break;
			case 'close':
				database().db.close();
				break;
		}
		answer({});
	} catch (error) {
		const { errcode } = error as { errcode?: number };
		const message = error instanceof Error ? error.message : String(error);
		answer({ error: { message, errcode: errcode ?? 0, undone: undo() } });
	}
});
