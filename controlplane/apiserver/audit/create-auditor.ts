/** The auditor with its backends, from upstream's options. */
import type { Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { Registry } from '../../../base/metrics.ts';
import { Remote, type RemoteTarget } from '../webhook/remote.ts';
import { Auditor } from './auditor.ts';
import type { AuditBackend } from './event.ts';
import { LogBackend, type LogBackendOptions } from './log-backend.ts';
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
	const backends: AuditBackend[] = [];
	const add = (backend: AuditBackend, { maxEventBytes }: Truncation): void =>
		void backends.push(maxEventBytes === undefined ? backend : truncated(backend, maxEventBytes));
	if (options.log !== undefined) add(new LogBackend(options.log, clock, log), options.log);
	if (options.webhook !== undefined)
		add(webhookBackend(options.webhook, new Remote(options.webhook.target, clock), clock, log), options.webhook);
	return new Auditor({ policy: options.policy, backends, clock, log, metrics });
}
