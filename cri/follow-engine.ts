/** The engine's events, told to whom they concern: readers ask anew, listeners hear of exits, the pod network looks after itself. */
import type { Context } from './context.ts';
import { INSTANCE_LABEL } from './convert/labels.ts';
import { followEvents } from './engine/events.ts';
import type { EngineEvent } from './engine/types.ts';
import { ContainerEventType } from './proto.ts';

/** How long an exit may wait to be told until the container's log is whole. */
const LOG_END_BOUND_MS = 500;

type Concerned = Pick<Context, 'engine' | 'instance' | 'state' | 'logs' | 'clock' | 'log'> & {
	readonly events: Pick<Context['events'], 'emit'>;
	readonly network: Pick<Context['network'], 'refresh'>;
};

/** Resolves when the signal aborts. */
export function followEngine(context: Concerned, signal: AbortSignal): Promise<void> {
	const { engine, instance, state, network, log } = context;
	let connections = 0;
	const handlers = {
		onConnected: (): void => {
			// The first time too: what was found at the start may have ended since.
			state.touchAll();
			if (connections++ > 0) void network.refresh().catch((error: unknown) => log.warn('cannot look after the pod network', { error }));
		},
		onEvent: (event: EngineEvent): void => {
			if (event.Action !== 'die') return state.touch(event.Actor.ID);
			state.touchEnded(event.Actor.ID);
			void told(context, event).catch((error: unknown) => log.warn('cannot tell of an exit', { error }));
		},
	};
	return followEvents(engine, `${INSTANCE_LABEL}=${instance}`, handlers, context, signal);
}

async function told({ state, logs, events }: Concerned, event: EngineEvent): Promise<void> {
	const id = event.Actor.ID;
	const container = state.peekContainer(id);
	if (container !== undefined) await logs.finished(id, LOG_END_BOUND_MS);
	const sandboxId = container?.record.sandboxId ?? state.peekSandbox(id)?.record.id;
	if (sandboxId === undefined) return;
	events.emit({ containerId: id, sandboxId, type: ContainerEventType.CONTAINER_STOPPED_EVENT, atNanos: BigInt(event.timeNano) });
}
