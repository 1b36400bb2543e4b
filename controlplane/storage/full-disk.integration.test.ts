/** A disk that fills up under the database, on a tmpfs of its own: needs root. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { codeOf, messageOf } from '../../base/errors.ts';
import { must } from '../../test/tools/command.ts';
import { textOf, value } from '../../test/suites/store-suite.ts';
import { openSqliteStore } from './sqlite-store.ts';

const withRoot = process.getuid?.() === 0 ? test : test.skip;

withRoot('a full disk refuses writes and nothing else: reads go on, and writes do once there is room', async (t) => {
	const dir = mkdtempSync(join(tmpdir(), 'kubeling-full-'));
	await must('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'kubeling-test', dir]);
	try {
		const path = join(dir, 'state.db');
		const fatal: unknown[] = [];
		const open = (): ReturnType<typeof openSqliteStore> => openSqliteStore({ path, clock: realClock, fatal: (error) => fatal.push(error) });
		let store = await open();
		await store.commit([{ key: '/before', expect: 'absent', value: value('before') }]);
		const ballast = join(dir, 'ballast');
		for (let size = 2 * 1024 * 1024; size >= 1024; size >>= 1)
			try {
				writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' });
			} catch {}
		const big = 'x'.repeat(100_000);
		// All are waited for: there is room for whoever is late.
		const writes = [1, 2, 3].map((i) => t.throwsAsync(store.commit([{ key: `/refused-${i}`, expect: 'absent', value: value(big) }])));
		for (const refused of await Promise.all(writes)) {
			t.is(codeOf(refused), 'ResourceExhausted');
			t.regex(messageOf(refused), /The disk of the database ".*state\.db" is full/);
		}
		t.is(store.get('/refused-1'), undefined);
		t.is(textOf(store.get('/before')?.value), 'before');
		rmSync(ballast);
		const after = await store.commit([{ key: '/after', expect: 'absent', value: value('after') }]);
		t.deepEqual(fatal, []);
		await store.close();
		store = await open();
		t.deepEqual(
			store.list('/', {}).entries.map((e) => [e.key, textOf(e.value)]),
			[
				['/after', 'after'],
				['/before', 'before'],
			],
		);
		t.is(store.revision(), after);
		await store.close();
	} finally {
		await must('umount', ['--lazy', dir]);
		rmSync(dir, { recursive: true });
	}
});
