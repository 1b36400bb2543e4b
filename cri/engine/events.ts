/** The engine's container events as they come, across reconnects. After each connection the consumer compares state as a whole. */
import type { Clock } from '../../base/clock.ts';
import { lines } from '../../base/lines.ts';
import { delayMs } from '../../base/backoff.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Engine } from './engine.ts';
import type { EngineEvent } from './types.ts';

interface EventHandlers {
	/** The stream stands: events of changes from here on will come. Look at everything once, for what was missed. */
	onConnected(): void;
	onEvent(event: EngineEvent): void;
}

const RECONNECT = { initialMs: 50, maxMs: 2000, jitter: 0.2 };

/** The engine answers before it has subscribed; what comes between is in the events that it keeps. */
const OVERLAP_MS = 2000;

/**
 * Follows container events that carry the label until the signal aborts; reconnects with back-off. Around a connection an event may be
 * told twice.
 */
export async function followEvents(
	engine: Engine,
	label: string,
	handlers: EventHandlers,
	deps: { clock: Clock; log: Log },
	signal: AbortSignal,
): Promise<void> {
	// No 'create': nobody knows of a container before its creation is answered, and the event would have to be read before that answer.
	const filters = JSON.stringify({ type: ['container'], event: ['start', 'die', 'destroy', 'oom', 'update'], label: [label] });
	let lastMs: number | undefined;
	for (let attempt = 0; !signal.aborted; attempt++) {
		const since = ((lastMs ?? deps.clock.now() - OVERLAP_MS) / 1000).toFixed(3);
		try {
			const response = await engine.stream({ method: 'GET', path: '/events', query: { filters, since }, signal });
			handlers.onConnected();
			attempt = 0;
			for await (const line of lines(response as AsyncIterable<Buffer>)) {
				const event = JSON.parse(line) as EngineEvent;
				lastMs = Math.floor(event.timeNano / 1_000_000);
				handlers.onEvent(event);
			}
		} catch (error) {
			if (!signal.aborted) deps.log.warn('lost the engine event stream', { error: messageOf(error) });
		}
		if (!signal.aborted) await deps.clock.sleep(delayMs(RECONNECT, attempt, deps.clock.random()), signal).catch(() => {});
	}
}
