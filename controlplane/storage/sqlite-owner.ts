/** One store at a time has a database: others may read it (backups do), but only the owner's state in memory is the truth that it writes. */
import { DatabaseSync } from 'node:sqlite';

/** Held by a transaction on an empty file beside the database, so that it goes with the process. SQLite's own busy error when another one has it. */
export function ownDatabase(path: string): Disposable {
	const lock = new DatabaseSync(`${path}.owner`);
	try {
		lock.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
	} catch (error) {
		lock.close();
		throw error;
	}
	return { [Symbol.dispose]: () => lock.close() };
}
