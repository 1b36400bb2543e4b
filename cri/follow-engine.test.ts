/** The shim's view of containers follows the engine's events: none may be missed around a connection. */
import { PassThrough } from 'node:stream';
import test from 'ava';
import { noLog } from '../base/log.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { eventually } from '../test/tools/eventually.ts';
import type { Engine, EngineRequest } from './engine/engine.ts';
import type { ContainerInspect, EngineEvent } from './engine/types.ts';
import { followEngine } from './follow-engine.ts';
import { ContainerLogs } from './logs/container-logs.ts';
import type { ContainerRecord } from './state/records.ts';
import { RuntimeState } from './state/state.ts';

const inspect = (status: 'running' | 'exited'): ContainerInspect =>
	({
		Id: 'c1',
		State: {
			Status: status,
			Running: status === 'running',
			Pid: 1,
			StartedAt: '2026-01-01T00:00:00Z',
			FinishedAt: '2026-01-01T00:00:01Z',
			ExitCode: 0,
			OOMKilled: false,
			Error: '',
		},
	}) as ContainerInspect;

/** Nothing waits for time there. */
const SOON_MS = 5000;

class ScriptedEngine {
	status: 'running' | 'exited' = 'running';
	readonly streams: { readonly request: EngineRequest; readonly body: PassThrough }[] = [];
	readonly inspected: string[] = [];

	readonly engine = {
		call: async ({ path }: EngineRequest) => {
			this.inspected.push(path);
			return inspect(this.status);
		},
		stream: async (request: EngineRequest) => {
			const body = new PassThrough();
			request.signal?.addEventListener('abort', () => body.destroy(), { once: true });
			this.streams.push({ request, body });
			return body;
		},
	} as unknown as Engine;

	event(Action: string, timeNano = 1): void {
		const event: EngineEvent = { Type: 'container', Action, Actor: { ID: 'c1', Attributes: {} }, time: 0, timeNano };
		this.streams.at(-1)?.body.write(`${JSON.stringify(event)}\n`);
	}
}

test('what ended before the events came, while they came, and while they were lost, is seen', async (t) => {
	const scripted = new ScriptedEngine();
	const { engine } = scripted;
	const clock = new VirtualClock(Date.UTC(2026, 0, 1));
	const state = new RuntimeState(engine);
	state.addContainer({ id: 'c1', sandboxId: 's1' } as ContainerRecord, inspect('running'));
	const read = async (): Promise<string> => (await state.container('c1')).live.state;
	t.is(await read(), 'running');
	t.deepEqual(scripted.inspected, [], 'the snapshot of the start is enough until there are events');

	// It ends after the snapshot and before the stream of events stands.
	scripted.status = 'exited';
	const stop = new AbortController();
	const emitted: string[] = [];
	let refreshed = 0;
	const following = followEngine(
		{
			engine,
			instance: 'i',
			state,
			clock,
			log: noLog,
			logs: new ContainerLogs({ engine, clock, log: noLog }),
			events: { emit: (event) => void emitted.push(event.containerId) },
			network: { refresh: async () => void refreshed++ },
		},
		stop.signal,
	);
	await eventually('it is seen as ended', async () => (await read()) === 'exited');
	await eventually('that is told, though no event told of it', async () => emitted.length === 1, SOON_MS);
	t.is(scripted.streams[0]?.request.query?.['since'], (Date.UTC(2026, 0, 1) / 1000 - 2).toFixed(3), 'events just before are asked for too');

	scripted.status = 'running';
	scripted.event('start');
	await eventually('an event is seen', async () => (await read()) === 'running');

	// The stream is lost, and meanwhile it ends.
	scripted.event('update', 1_767_225_700_123_456_000);
	scripted.status = 'exited';
	scripted.streams[0]?.body.end();
	await eventually('the stream is opened again', async () => {
		await clock.advance(1000);
		return scripted.streams.length === 2;
	});
	await eventually('it is seen as ended', async () => (await read()) === 'exited');
	t.is(scripted.streams[1]?.request.query?.['since'], '1767225700.123', 'from the last event on, by the clock of the engine');
	t.is(refreshed, 1, 'the pod network was set up at the start; it looks after itself when events were lost');
	await eventually('that is told, though an engine that was away does not', async () => emitted.length === 2, SOON_MS);
	scripted.event('die', 1_767_225_800_000_000_000);
	scripted.event('start', 1_767_225_900_000_000_000);
	scripted.event('die', 1_767_225_901_000_000_000);
	await eventually('the next end is told', async () => emitted.length > 2);
	t.deepEqual(emitted, ['c1', 'c1', 'c1'], 'an end is told once, by whatever was first');
	stop.abort();
	await following;
});

/** A container that is known in one state; the engine says another, and is being asked or not. */
function heldAs(
	known: 'running' | 'exited',
	answer: 'running' | 'exited',
	during: boolean,
): { scripted: ScriptedEngine; state: RuntimeState } {
	const scripted = new ScriptedEngine();
	const state = new RuntimeState(scripted.engine);
	state.addContainer({ id: 'c1', sandboxId: 's1' } as ContainerRecord, inspect(known));
	scripted.status = answer;
	if (during) {
		state.touch('c1');
		state.readAhead('c1');
	}
	return { scripted, state };
}

for (const order of [
	['oom', 'die'],
	['die', 'oom'],
] as const)
	test(`an engine that does not say that memory was short is not needed for it: ${order.join(', then ')}`, async (t) => {
		const scripted = new ScriptedEngine();
		const { engine } = scripted;
		const clock = new VirtualClock();
		const state = new RuntimeState(engine);
		state.addContainer({ id: 'c1', sandboxId: 's1' } as ContainerRecord, inspect('running'));
		const stop = new AbortController();
		const network = { refresh: async () => undefined };
		const logs = new ContainerLogs({ engine, clock, log: noLog });
		const following = followEngine(
			{ engine, instance: 'i', state, clock, log: noLog, logs, events: { emit: () => undefined }, network },
			stop.signal,
		);
		const ended = async (): Promise<unknown> => {
			const { live } = await state.container('c1');
			return live.state === 'exited' ? live.oomKilled : live.state;
		};
		await eventually('the stream is open', async () => scripted.streams.length === 1);
		scripted.status = 'exited';
		for (const action of order) {
			scripted.event(action);
			await eventually('the event is heard', async () => (await ended()) !== 'running');
		}
		await eventually('it is known', async () => (await ended()) === true);
		stop.abort();
		await following;
		t.pass();
	});

for (const [name, known, answer, during, again] of [
	['that it ended is no news where that was read', 'exited', 'exited', false, false],
	['that it ended is news where it was read as running', 'running', 'exited', false, true],
	['a read that found it ended before it was told is right', 'running', 'exited', true, false],
	['a read that found it running before it was told is old', 'running', 'running', true, true],
] as const)
	test(`exits: ${name}`, async (t) => {
		const { scripted, state } = heldAs(known, answer, during);
		state.touchEnded('c1');
		scripted.status = 'exited';
		t.is((await state.container('c1')).live.state, 'exited');
		t.is(scripted.inspected.length, Number(during) + Number(again));
	});

for (const [name, known, answer, during, reads] of [
	['that it started is no news where that was read', 'running', 'running', false, 0],
	['that it started is news where it was read as ended', 'exited', 'running', false, 1],
	['a read may be older than the start that is told meanwhile', 'running', 'exited', true, 2],
] as const)
	test(`starts: ${name}`, async (t) => {
		const { scripted, state } = heldAs(known, answer, during);
		state.touchStarted('c1');
		scripted.status = 'running';
		t.is((await state.container('c1')).live.state, 'running');
		t.is(scripted.inspected.length, reads);
	});

test('starts: one whose end is told after it is read again', async (t) => {
	const scripted = new ScriptedEngine();
	const state = new RuntimeState(scripted.engine);
	state.addContainer({ id: 'c1', sandboxId: 's1' } as ContainerRecord, inspect('running'));
	state.touchStarted('c1');
	state.touchEnded('c1');
	await state.container('c1');
	t.is(scripted.inspected.length, 1);
});

test('what is read ahead is there for the first who asks; what changes meanwhile is read again', async (t) => {
	const scripted = new ScriptedEngine();
	const state = new RuntimeState(scripted.engine);
	state.addContainer({ id: 'c1', sandboxId: 's1' } as ContainerRecord, inspect('running'));
	scripted.status = 'exited';
	state.touch('c1');
	state.readAhead('c1');
	t.is((await state.container('c1')).live.state, 'exited');
	t.is(scripted.inspected.length, 1);
	state.touch('c1');
	state.readAhead('c1');
	state.touch('c1');
	await state.container('c1');
	t.is(scripted.inspected.length, 3);
});
