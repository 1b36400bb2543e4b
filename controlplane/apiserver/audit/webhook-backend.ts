/** Sends audit events to a service as EventLists, as upstream's webhook backend: tried again whatever went wrong. */
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Remote } from '../webhook/remote.ts';
import type { BatchOptions } from './batches.ts';
import type { AuditEvent } from './event.ts';
import type { Losses } from './losses.ts';
import type { AuditMode, AuditSink } from './modes.ts';

export interface WebhookBackendOptions {
	readonly mode: AuditMode;
	readonly batch: BatchOptions;
	/** Before the first retry; each later one waits half as long again. */
	readonly initialBackoffMs: number;
}

const TIMEOUT_MS = 30_000;
const ATTEMPTS = 5;
/** What is on its way at the end gets so long. */
const CLOSE_MS = 5_000;

export function webhookBackend(
	options: Pick<WebhookBackendOptions, 'initialBackoffMs'>,
	remote: Remote,
	clock: Clock,
	losses: Losses,
): AuditSink {
	const stop = new AbortController();
	const retries = {
		initialMs: options.initialBackoffMs,
		factor: 1.5,
		maxMs: 10 * options.initialBackoffMs,
		jitter: 0.2,
		attempts: ATTEMPTS,
		// The service may get well again, whatever it answers now.
		mayPass: () => true,
	};
	return {
		name: 'webhook',
		async send(events: readonly AuditEvent[]): Promise<boolean> {
			try {
				// The list says what its items are.
				const items = events.map(({ kind: _k, apiVersion: _a, ...event }) => event);
				await remote.deliver({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items }, TIMEOUT_MS, stop.signal, retries);
				return true;
			} catch (error) {
				losses('webhook', events, messageOf(error));
				return false;
			}
		},
		async close(sent: Promise<unknown>): Promise<void> {
			using _limit = clock.after(CLOSE_MS, () => stop.abort());
			await sent;
			remote[Symbol.dispose]();
		},
	};
}
