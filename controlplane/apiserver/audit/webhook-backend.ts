/** Sends audit events to a service as EventLists, as upstream's webhook backend: in batches, tried again when nobody answers. */
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Remote } from '../webhook/remote.ts';
import { Batches, type BatchOptions } from './batches.ts';
import type { AuditBackend, AuditEvent } from './event.ts';

export interface WebhookBackendOptions {
	readonly mode: 'batch' | 'blocking' | 'blocking-strict';
	readonly batch: BatchOptions;
	/** Before the first retry; each later one waits half as long again. */
	readonly initialBackoffMs: number;
}

const TIMEOUT_MS = 30_000;
const ATTEMPTS = 5;

export function webhookBackend(options: WebhookBackendOptions, remote: Remote, clock: Clock, log: Log): AuditBackend {
	const stop = new AbortController();
	const retries = {
		initialMs: options.initialBackoffMs,
		factor: 1.5,
		maxMs: 10 * options.initialBackoffMs,
		jitter: 0.2,
		attempts: ATTEMPTS,
	};
	const send = async (events: readonly AuditEvent[]): Promise<boolean> => {
		try {
			// The list says what its items are.
			const items = events.map(({ kind: _k, apiVersion: _a, ...event }) => event);
			await remote.post({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items }, TIMEOUT_MS, stop.signal, retries);
			return true;
		} catch (error) {
			log.error('cannot send audit events', { events: events.length, why: messageOf(error) });
			return false;
		}
	};
	if (options.mode === 'batch') {
		const batches = new Batches('webhook', options.batch, clock, async (events) => void (await send(events)));
		return { name: 'webhook', take: (event) => batches.take(event), close: () => ended(batches.close(), stop, remote, clock) };
	}
	const sending = new Set<Promise<boolean>>();
	return {
		name: 'webhook',
		take(event) {
			const sent = send([event]).finally(() => sending.delete(sent));
			sending.add(sent);
			return options.mode === 'blocking-strict' ? sent : sent.then(() => true);
		},
		close: () =>
			ended(
				Promise.all(sending).then(() => undefined),
				stop,
				remote,
				clock,
			),
	};
}

/** What is on its way gets a little time; then the server ends. */
async function ended(rest: Promise<void>, stop: AbortController, remote: Remote, clock: Clock): Promise<void> {
	using _limit = clock.after(CLOSE_MS, () => stop.abort());
	await rest;
	remote[Symbol.dispose]();
}

const CLOSE_MS = 5_000;
