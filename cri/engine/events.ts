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
	onConnected(): Promise<void>;
	onEvent(event: EngineEvent): void;
}

const RECONNECT = { initialMs: 50, maxMs: 2000, jitter: 0.2 };

/** Follows container events that carry the label until the signal aborts; reconnects with back-off. */
export async function followEvents(
	engine: Engine,
	label: string,
	handlers: EventHandlers,
	deps: { clock: Clock; log: Log },
	signal: AbortSignal,
): Promise<void> {
	const filters = JSON.stringify({ type: ['container'], event: ['create', 'start', 'die', 'destroy', 'oom', 'update'], label: [label] });
	for (let attempt = 0; !signal.aborted; attempt++) {
		try {
			const response = await engine.stream({ method: 'GET', path: '/events', query: { filters }, signal });
			await handlers.onConnected();
			attempt = 0;
			for await (const line of lines(response as AsyncIterable<Buffer>)) handlers.onEvent(JSON.parse(line) as EngineEvent);
		} catch (error) {
			if (!signal.aborted) deps.log.warn('lost the engine event stream', { error: messageOf(error) });
		}
		if (!signal.aborted) await deps.clock.sleep(delayMs(RECONNECT, attempt, deps.clock.random()), signal).catch(() => {});
	}
}
