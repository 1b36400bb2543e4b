/** How far requests wait for a backend: upstream's modes, put around one that says of each event whether it has arrived. */
import type { Clock } from '../../../base/clock.ts';
import { Batches, type BatchOptions } from './batches.ts';
import type { AuditBackend, AuditEvent } from './event.ts';
import type { Losses } from './losses.ts';

export const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict'] as const;
export type AuditMode = (typeof AUDIT_MODES)[number];

/** Where events end up, several at a time. */
export interface AuditSink {
	readonly name: 'log' | 'webhook';
	/** False: they are lost, which has been told. */
	send(events: readonly AuditEvent[]): Promise<boolean>;
	/** @param sent what was under way, to be waited for */
	close(sent: Promise<unknown>): Promise<void>;
}

/** Only blocking-strict refuses a request whose event is lost. */
export function inMode(sink: AuditSink, mode: AuditMode, batch: BatchOptions, clock: Clock, losses: Losses): AuditBackend {
	const { name } = sink;
	if (mode === 'batch') {
		const batches = new Batches(batch, clock, async (events) => void (await sink.send(events)));
		return {
			name,
			take(event) {
				const why = batches.take(event);
				if (why !== undefined) losses('buffered', [event], why);
				return true;
			},
			close: () => sink.close(batches.close()),
		};
	}
	const sending = new Set<Promise<boolean>>();
	return {
		name,
		take(event) {
			const sent = sink.send([event]).finally(() => sending.delete(sent));
			sending.add(sent);
			return mode === 'blocking-strict' ? sent : sent.then(() => true);
		},
		close: () => sink.close(Promise.all(sending)),
	};
}
