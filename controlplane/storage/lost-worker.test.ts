/** The thread that commits is gone: whoever writes or closes hears of it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { AppError } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { ownDatabase } from './sqlite-owner.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { Store, Write } from './store.ts';

const write: Write = { key: '/core/pods/a', expect: 'absent', value: { bytes: Buffer.from('a'), versionAt: -1, labels: {}, fields: {} } };

/** @param ends the message at which the thread ends without a word */
async function opened(t: ExecutionContext, ends: 'commit' | 'close'): Promise<{ store: Store; path: string; told: AppError[] }> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-lost-worker-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const path = join(dir, 'state.db');
	const source = `import { parentPort } from 'node:worker_threads';
		parentPort.on('message', ({ type }) => void (type === '${ends}' ? process.exit(7) : 0));`;
	const workerUrl = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
	const told: AppError[] = [];
	const store = await openSqliteStore({ path, clock: new VirtualClock(), workerUrl, fatal: (error) => told.push(error) });
	return { store, path, told };
}

test('a write whose thread ends fails, as do later ones, and the end of the process is asked for once', async (t) => {
	const { store, path, told } = await opened(t, 'commit');
	for (let i = 0; i < 2; i++) await t.throwsAsync(store.commit([write]), { instanceOf: AppError, code: 'DataLoss' });
	t.is(told.length, 1);
	t.is(store.get(write.key), undefined);
	await t.throwsAsync(store.close(), { instanceOf: AppError });
	ownDatabase(path)[Symbol.dispose]();
});

test('a store whose thread ends while it closes is closed, and says so', async (t) => {
	const { store, path } = await opened(t, 'close');
	await t.throwsAsync(store.close(), { instanceOf: AppError, message: /ended with code 7/ });
	ownDatabase(path)[Symbol.dispose]();
});
