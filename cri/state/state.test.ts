/** What the shim's own records survive. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { AppError } from '../../base/errors.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Context } from '../context.ts';
import { deleteContainer } from '../handlers/container-remove.ts';
import { ContainerConfig, PodSandboxConfig } from '../proto.ts';
import { Checkpoint } from './checkpoint.ts';
import { SyncSoon } from './sync-soon.ts';

const empty = Buffer.alloc(0);
const metadata = { name: 'web', uid: 'u', namespace: 'n', attempt: 0 };
const sandbox = (name: string) => ({
	name,
	config: { ...PodSandboxConfig.decode(empty), metadata },
	metadata,
	runtimeHandler: '',
	createdAtMs: 1,
	address: undefined,
});
const container = (name: string, logPath = '') => ({
	name,
	sandboxId: 's',
	config: ContainerConfig.decode(empty),
	imageId: 'i',
	imageRef: 'i',
	logPath,
	createdAtMs: 1,
});

test('records: what was saved is there after kill -9; what a crash cut short is not', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-records-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const killed = new Checkpoint(dir, new VirtualClock());
	await killed.saveSandbox(sandbox('whole'));
	killed.confirmSandbox('whole');
	await killed.saveSandbox(sandbox('half'));
	await killed.saveContainer(container('kept'));
	await killed.saveContainer(container('kept', '/log'));
	await killed.saveContainer(container('removed'));
	await killed.removeContainer('removed');
	await writeFile(join(dir, '.half-written'), '{"version":1');
	const { sandboxes, unfinished, containers } = await new Checkpoint(dir, new VirtualClock()).load();
	t.deepEqual(
		[sandboxes, unfinished].map((list) => list.map(({ name }) => name)),
		[['whole'], ['half']],
	);
	t.deepEqual(
		containers.map(({ name, logPath }) => ({ name, logPath })),
		[{ name: 'kept', logPath: '/log' }],
	);
	t.is((await readdir(dir)).length, 3);
});

test('a container that the engine does not remove keeps its record, or the next start would remove it', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-records-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const clock = new VirtualClock();
	const checkpoint = new Checkpoint(dir, clock);
	await checkpoint.saveContainer(container('busy'));
	const engine = { call: () => Promise.reject(new AppError('Internal', 'device or resource busy')) };
	const context = { engine, checkpoint, clock } as unknown as Context;
	await t.throwsAsync(deleteContainer(context, { ...container('busy'), id: 'c' }, new AbortController().signal), { message: /busy/ });
	t.deepEqual(
		(await checkpoint.load()).containers.map(({ name }) => name),
		['busy'],
	);
});

test('nobody waits until the disk has taken the record of a removed container away; one of the same name made meanwhile keeps its own', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-records-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const clock = new VirtualClock();
	const disk = Promise.withResolvers<void>();
	const unlinked = async (path: string): Promise<void> => {
		await disk.promise;
		await rm(path);
	};
	const checkpoint = new Checkpoint(dir, clock, unlinked);
	await checkpoint.saveContainer(container('again'));
	const over = { forget: () => {}, emit: () => {}, release: async () => {}, deleteContainer: () => {}, call: async () => {} };
	const context = { engine: over, state: over, imageVolumes: over, logs: over, events: over, checkpoint, clock } as unknown as Context;
	await deleteContainer(context, { ...container('again'), id: 'c' }, new AbortController().signal);
	const saving = checkpoint.saveContainer(container('again', '/log'));
	disk.resolve();
	await saving;
	await checkpoint.synced();
	t.deepEqual(
		(await checkpoint.load()).containers.map(({ logPath }) => logPath),
		['/log'],
	);
});

test('records come to the disk together, also where one is gone or has another name by then', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-records-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const clock = new VirtualClock();
	const checkpoint = new Checkpoint(dir, clock);
	await Promise.all([checkpoint.saveSandbox(sandbox('a')), checkpoint.saveContainer(container('b'))]);
	t.is(clock.pending, 1, 'one timer for all');
	checkpoint.confirmSandbox('a');
	await checkpoint.removeContainer('b');
	await checkpoint.synced();
	t.is(clock.pending, 0);
});

test('what the disk does not take keeps nothing else from it', async (t) => {
	const synced: string[] = [];
	const records = new SyncSoon(new VirtualClock(), async (path) => {
		if (path === '/r/a') throw new Error('EIO');
		synced.push(path);
	});
	records.add('/r/a');
	records.add('/r/b');
	await t.throwsAsync(records.now(), { message: 'EIO' });
	t.deepEqual(synced, ['/r/b', '/r']);
});
