/** The worker that only commits: one transaction a message, answered after its sync. Its own entry point of the bundle. */
import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from './sqlite-file.ts';
import { isKept, type WorkerAnswer, type WorkerRequest } from './sqlite-messages.ts';

const port = parentPort;
if (port === null) throw new Error('This file runs as a worker thread');
const db = openDatabase((workerData as { path: string }).path);
const put = db.prepare('INSERT OR REPLACE INTO objects (key, revision, bytes, facts, expires_at) VALUES (?, ?, ?, ?, ?)');
const remove = db.prepare('DELETE FROM objects WHERE key = ?');
const setRevision = db.prepare("UPDATE state SET value = ? WHERE name = 'revision'");

function commit({ blob, rows, revision }: Extract<WorkerRequest, { type: 'commit' }>): void {
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
		if (db.isTransaction) db.exec('ROLLBACK');
		return true;
	} catch {
		return false;
	}
}

port.on('message', (request: WorkerRequest) => {
	const blob = request.type === 'commit' && isKept(request.blob) ? request.blob : undefined;
	const answer = (a: WorkerAnswer): void => port.postMessage({ ...a, blob }, blob === undefined ? [] : [blob.buffer]);
	try {
		switch (request.type) {
			case 'commit':
				commit(request);
				break;
			case 'close':
				db.close();
				break;
		}
		answer({});
	} catch (error) {
		const { errcode } = error as { errcode?: number };
		const message = error instanceof Error ? error.message : String(error);
		answer({ error: { message, errcode: errcode ?? 0, undone: undo() } });
	}
});
