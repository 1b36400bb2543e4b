/** The database's files: whose they are, and what is told where they cannot be opened. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { codeOf, messageOf } from '../../base/errors.ts';
import { explained } from './sqlite-file.ts';
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

test('sqlite: a file that cannot be opened is not called corrupt', async (t) => {
	const dir = mkdtempSync(join(tmpdir(), 'kubeling-modes-'));
	const path = join(dir, 'state.db');
	mkdirSync(path);
	const error = await t.throwsAsync(openSqliteStore({ path, clock: realClock }));
	t.is(codeOf(error), 'PermissionDenied');
	t.regex(messageOf(error), /Cannot open the database ".*state\.db" for writing: EISDIR/);
	rmSync(dir, { recursive: true });
});

for (const [code, want] of [
	['EACCES', 'PermissionDenied'],
	['EROFS', 'PermissionDenied'],
	['ENOSPC', 'ResourceExhausted'],
	['EDQUOT', 'ResourceExhausted'],
	['EIO', 'DataLoss'],
] as const)
	test(`sqlite: ${code} of the system is ${want}`, (t) => {
		const error = explained('state.db', Object.assign(new Error(`${code}: told`), { code, syscall: 'open' }));
		t.is(error.code, want);
		t.false(error.message.includes('corrupt'));
	});
