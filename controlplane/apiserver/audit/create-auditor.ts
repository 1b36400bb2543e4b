/** The auditor with its backends, from upstream's options. */
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { Registry } from '../../../base/metrics.ts';
import { Remote, type RemoteTarget } from '../webhook/remote.ts';
import { Auditor } from './auditor.ts';
import type { AuditBackend } from './event.ts';
import { auditLosses } from './losses.ts';
import { LogBackend, type LogBackendOptions } from './log-backend.ts';
import { inMode } from './modes.ts';
import type { AuditPolicy } from './policy.ts';
import { truncated } from './truncated.ts';
import { webhookBackend, type WebhookBackendOptions } from './webhook-backend.ts';

interface Truncation {
	/** Absent: events are as large as they are. */
	readonly maxEventBytes?: number | undefined;
}

export interface AuditOptions {
	readonly policy: AuditPolicy;
	readonly log?: (LogBackendOptions & Truncation) | undefined;
	readonly webhook?: (WebhookBackendOptions & Truncation & { readonly target: RemoteTarget }) | undefined;
}

interface Deps {
	readonly clock: Clock;
	readonly log: Log;
	readonly metrics: Registry;
}

export function createAuditor(options: AuditOptions, { clock, log, metrics }: Deps): Auditor {
	const losses = auditLosses(metrics, log);
	const backends: AuditBackend[] = [];
	const add = (backend: AuditBackend, { maxEventBytes }: Truncation): void =>
		void backends.push(maxEventBytes === undefined ? backend : truncated(backend, maxEventBytes, losses));
	const { log: file, webhook } = options;
	if (file !== undefined) add(inMode(new LogBackend(file, clock, losses, log), file.mode, file.batch, clock, losses), file);
	if (webhook !== undefined) {
		const sink = webhookBackend(webhook, new Remote(webhook.target, clock), clock, losses);
		add(inMode(sink, webhook.mode, webhook.batch, clock, losses), webhook);
	}
	return new Auditor({ policy: options.policy, backends, clock, metrics });
}
