/** Audit events that did not arrive: counted by what lost them, and said (upstream's HandlePluginError). */
import type { Log } from '../../../base/log.ts';
import { Counter, type Registry } from '../../../base/metrics.ts';
import type { AuditEvent } from './event.ts';
import { legacyLine } from './legacy-format.ts';

/** Upstream's names: the buffer of a backend, the limit of an event's size, or the backend itself. */
export type Loser = 'buffered' | 'truncate' | 'log' | 'webhook';

export type Losses = (by: Loser, events: readonly AuditEvent[], why: string) => void;

export function auditLosses(metrics: Registry, log: Log): Losses {
	const errors = new Counter<'plugin'>({
		name: 'apiserver_audit_error_total',
		help: 'Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
		labelNames: ['plugin'],
		registers: [metrics],
	});
	return (plugin, events, why) => {
		errors.inc({ plugin }, events.length);
		log.error('audit events were lost', { plugin, events: events.length, why });
		for (const event of events) log.debug('a lost audit event', { event: legacyLine(event) });
	};
}
