/** The engine's events, told to whom they concern: readers ask anew, listeners hear of exits, the pod network looks after itself. */
import { linked, type Linked } from '../base/abort.ts';
import { retrying } from '../base/backoff.ts';
import { messageOf } from '../base/errors.ts';
import type { Context } from './context.ts';
import { INSTANCE_LABEL } from './convert/labels.ts';
import { followEvents } from './engine/events.ts';
import type { EngineEvent } from './engine/types.ts';
import { ContainerEventType } from './proto.ts';
import { UntoldEnds } from './untold-ends.ts';

const LOOK_AGAIN = { initialMs: 100, maxMs: 2000, jitter: 0.2 };

type Concerned = Pick<Context, 'engine' | 'instance' | 'state' | 'logs' | 'clock' | 'log'> & {
	readonly events: Pick<Context['events'], 'emit'>;
	readonly network: Pick<Context['network'], 'refresh'>;
};

/** Resolves when the signal aborts. */
export function followEngine(context: Concerned, signal: AbortSignal): Promise<void> {
	const { engine, instance, state, network, log } = context;
	const ends = new UntoldEnds(state);
	let connections = 0;
	let looking: Linked | undefined;
	const handlers = {
		onConnected: (): void => {
			// The first time too: what was found at the start may have ended since.
			state.touchAll();
			looking?.abort();
			looking = linked(signal);
			tellUntold(context, ends, looking).catch(() => {}); // nobody asks for it any more
			if (connections++ > 0) void network.refresh().catch((error: unknown) => log.warn('cannot look after the pod network', { error }));
		},
		onEvent: ({ Action, Actor: { ID: id }, timeNano }: EngineEvent): void => {
			if (Action === 'start' || Action === 'destroy') ends.forget(id);
			if (Action === 'start') return state.touchStarted(id);
			if (Action === 'oom') return state.touchOutOfMemory(id);
			if (Action !== 'die') return state.touch(id);
			state.touchEnded(id);
			if (ends.isNews(id)) tell(context, id, BigInt(timeNano));
		},
	};
	return followEvents(engine, `${INSTANCE_LABEL}=${instance}`, handlers, context, signal);
}

/** What ended while no event came. Asked again until the engine has told of all; throws when the stream of events is another, or the shim ends. */
async function tellUntold(context: Concerned, ends: UntoldEnds, looking: Linked): Promise<void> {
	const { clock, log } = context;
	using _looking = looking;
	const look = async (): Promise<void> => {
		for await (const { id, live } of ends.look())
			tell(context, id, live.state === 'exited' && live.finishedAtNanos > 0n ? live.finishedAtNanos : BigInt(clock.now()) * 1_000_000n);
	};
	const again = (error: unknown): boolean => {
		log.warn('cannot look for what ended while the engine told nothing', { error: messageOf(error) });
		return true;
	};
	await retrying(clock, LOOK_AGAIN, looking.signal, look, again);
}

function tell(context: Concerned, id: string, atNanos: bigint): void {
	told(context, id, atNanos).catch((error: unknown) => context.log.warn('cannot tell of an exit', { error }));
}

async function told({ state, logs, events }: Concerned, id: string, atNanos: bigint): Promise<void> {
	const container = state.peekContainer(id);
	if (container !== undefined) await logs.finished(id);
	const sandboxId = container?.record.sandboxId ?? state.peekSandbox(id)?.record.id;
	if (sandboxId === undefined) return;
	events.emit({ containerId: id, sandboxId, type: ContainerEventType.CONTAINER_STOPPED_EVENT, atNanos });
}
