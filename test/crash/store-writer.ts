/** A process to be killed: 32 writers create keys in the database at argv[2] and report each one once it is acknowledged. */
import { realClock } from '../../base/clock.ts';
import { openSqliteStore } from '../../controlplane/storage/sqlite-store.ts';
import { value } from '../suites/store-suite.ts';

const [path = '', round = ''] = process.argv.slice(2);
const store = await openSqliteStore({ path, clock: realClock });
let next = 0;
const write = async (): Promise<void> => {
	for (;;) {
		const key = `/k/${round}-${next++}`;
		await store.commit([{ key, expect: 'absent', value: value(key) }]);
		process.send?.(key);
	}
};
await Promise.all(Array.from({ length: 32 }, write));
