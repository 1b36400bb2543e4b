import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { openSqliteStore } from './sqlite-store.ts';

test('sqlite: what is stored is for the owner of the process alone', async (t) => {
	const dir = mkdtempSync(join(tmpdir(), 'kubeling-modes-'));
	const inner = join(dir, 'data');
	const store = await openSqliteStore({ path: join(inner, 'state.db'), clock: realClock });
	try {
		t.is(statSync(inner).mode & 0o077, 0);
		const open = readdirSync(inner).filter((name) => !name.includes('.owner') && (statSync(join(inner, name)).mode & 0o077) !== 0);
		t.deepEqual(open, []);
	} finally {
		await store.close();
		rmSync(dir, { recursive: true });
	}
});
