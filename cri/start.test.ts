/** What a start takes away of the engine's containers, and what it must leave. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { AppError } from '../base/errors.ts';
import { noLog } from '../base/log.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { Engine, EngineRequest } from './engine/engine.ts';
import { ContainerConfig } from './proto.ts';
import { restore, type Restored } from './start.ts';
import { Checkpoint } from './state/checkpoint.ts';
import { RuntimeState } from './state/state.ts';

const RECORD = {
	name: 'k_a',
	sandboxId: 's',
	config: ContainerConfig.decode(Buffer.alloc(0)),
	imageId: 'i',
	imageRef: 'i',
	logPath: '',
	createdAtMs: 1,
};

/** A start over an engine that has these containers, by name; `remove` is asked for each that it wants to take away. */
async function starting(t: ExecutionContext, running: Readonly<Record<string, boolean>>, remove: (name: string) => void = () => {}) {
	const dataDir = await mkdtemp(join(tmpdir(), 'kubeling-start-'));
	t.teardown(() => rm(dataDir, { recursive: true }));
	const checkpoints = join(dataDir, 'checkpoints');
	const checkpoint = new Checkpoint(checkpoints, new VirtualClock());
	const removed: string[] = [];
	const engine = {
		call: async ({ method, path }: EngineRequest): Promise<unknown> => {
			if (path === '/containers/json') return Object.keys(running).map((name) => ({ Id: name, Names: [`/${name}`] }));
			const name = path.split('/')[2] ?? '';
			if (method === 'GET') return { Id: name, State: { Running: running[name], Pid: 1 } };
			remove(name);
			removed.push(name);
			return undefined;
		},
	} as unknown as Engine;
	const deps = { engine, checkpoint, state: new RuntimeState(engine), namePrefix: 'k_', dataDir, log: noLog };
	return { checkpoints, checkpoint, removed, restore: (): Promise<Restored> => restore(deps) };
}

test('records that cannot be read fail the start: they are not none', async (t) => {
	const start = await starting(t, { k_a: true });
	await writeFile(start.checkpoints, 'no folder');
	await t.throwsAsync(start.restore(), { code: 'ENOTDIR' });
	t.deepEqual(start.removed, []);
});

test('containers without a record go; those that the engine keeps are told of, for another try', async (t) => {
	const start = await starting(t, { k_a: false, k_b: true }, (name) => {
		if (name === 'k_b') throw new AppError('Internal', 'device or resource busy');
	});
	t.deepEqual((await start.restore()).unremoved, ['k_b']);
	t.deepEqual(start.removed, ['k_a']);
});

const CUT_SHORT = { 'an empty one': '', 'a part': '{"version":1,"kind":"cont', zeroes: '\0'.repeat(64) };
for (const [what, text] of Object.entries(CUT_SHORT))
	test(`a record that a power failure left as ${what} goes with its container, unless that runs`, async (t) => {
		for (const isRunning of [false, true]) {
			const start = await starting(t, { k_a: isRunning });
			await start.checkpoint.saveContainer(RECORD);
			const [file = ''] = await readdir(start.checkpoints);
			await writeFile(join(start.checkpoints, file), text);
			if (isRunning) await t.throwsAsync(start.restore(), { code: 'DataLoss' });
			else await start.restore();
			t.deepEqual(start.removed, isRunning ? [] : ['k_a']);
			t.deepEqual(await readdir(start.checkpoints), isRunning ? [file] : []);
		}
	});
