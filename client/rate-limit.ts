/** Requests at a bounded rate, each waiting for its turn (client-go's flowcontrol token bucket). */
import type { Clock } from '../base/clock.ts';
import type { Client } from './client.ts';
import { createClient } from './rest.ts';
import type { Transport } from './transport.ts';

export interface RequestRate {
	/** On average. */
	readonly perSecond: number;
	/** At once after a pause. */
	readonly burst: number;
}

/** The client at that rate; the same one where there is none. */
export function limited(client: Client, rate: RequestRate | undefined, clock: Clock, userAgent: string): Client {
	return rate === undefined ? client : createClient(rateLimited(client.transport, rate, clock), { userAgent });
}

function rateLimited(transport: Transport, { perSecond, burst }: RequestRate, clock: Clock): Transport {
	let tokens = burst;
	let filledAt = clock.monotonic();
	/** Negative tokens are turns that are promised. */
	const turn = async (signal: AbortSignal): Promise<void> => {
		const now = clock.monotonic();
		tokens = Math.min(burst, tokens + ((now - filledAt) / 1000) * perSecond) - 1;
		filledAt = now;
		if (tokens >= 0) return;
		await clock.sleep((-tokens / perSecond) * 1000, signal).catch((error: unknown) => {
			tokens++;
			throw error;
		});
	};
	return {
		request: async (request, signal) => {
			const from = clock.monotonic();
			await turn(signal);
			transport.waited?.(request.method, clock.monotonic() - from);
			return transport.request(request, signal);
		},
		upgrade: (request, signal) => transport.upgrade(request, signal),
		close: () => transport.close(),
	};
}
