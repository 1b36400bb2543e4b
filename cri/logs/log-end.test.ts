/** An end is told with the last words: whoever is told of it reads them in the file. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { noLog } from '../../base/log.ts';
import { idle, VirtualClock } from '../../base/virtual-clock.ts';
import type { Context } from '../context.ts';
import type { Engine } from '../engine/engine.ts';
import { containerStatus } from '../handlers/container-status.ts';
import { ContainerConfig } from '../proto.ts';
import { RuntimeState } from '../state/state.ts';
import { ContainerLogs } from './container-logs.ts';
import { logSource } from './source.ts';

const State = { Status: 'exited', StartedAt: '', FinishedAt: '', ExitCode: 0, OOMKilled: false, Error: '' };
const inspect = { Id: 'c', State, Config: {}, HostConfig: {} };
const frame = (text: string): Buffer => Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, text.length]), Buffer.from(text)]);

/** A container that the engine says is over; its attach stream is the test's to end, and the engine's copy is empty. */
async function overAlready(t: ExecutionContext) {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-log-end-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const logPath = join(folder, 'c.log');
	const attached = new PassThrough();
	const engine = {
		call: async () => inspect,
		hijack: async () => attached,
		stream: async () => new PassThrough().end(),
	} as unknown as Engine;
	const clock = new VirtualClock();
	const state = new RuntimeState(engine);
	const config = ContainerConfig.decode(Buffer.alloc(0));
	const record = { id: 'c', name: 'c', sandboxId: 's', config, imageId: '', imageRef: '', logPath, createdAtMs: 1 };
	state.addContainer(record);
	const logs = new ContainerLogs({ engine, clock, log: noLog });
	await logs.attached(logSource(state, record));
	t.teardown(() => (attached.end(), logs.stop()));
	/** What of the log is there when the status is answered. */
	const told = async (): Promise<string> => {
		await containerStatus({ state, logs } as unknown as Context, { containerId: 'c', verbose: false }, new AbortController().signal);
		return readFile(logPath, 'utf8');
	};
	return { attached, clock, told };
}

test('a status waits for the end of the log, however long a busy machine takes', async (t) => {
	const { attached, clock, told } = await overAlready(t);
	const telling = told();
	await idle();
	await clock.advance(5000);
	attached.end(frame('last words\n'));
	t.regex(await telling, /stdout F last words\n$/);
});

test('a log that does not end holds an end up once, and not for ever', async (t) => {
	const { clock, told } = await overAlready(t);
	const telling = told();
	await idle();
	await clock.advance(10_000);
	t.is(await telling, '');
	t.is(await told(), '', 'nobody waits a second time');
});
