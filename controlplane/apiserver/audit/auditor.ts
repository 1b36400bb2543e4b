/** Decides by the policy what is written down of a request, and hands its events to the backends. */
import { abortable, withDeadline } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { Counter, type Registry } from '../../../base/metrics.ts';
import type { ApiRequest, Attributes } from '../contracts.ts';
import { TIMEOUT_MS } from '../request/deadline.ts';
import type { AuditBackend, AuditEvent } from './event.ts';
import { verdictOf, type AuditPolicy } from './policy.ts';
import { Trail } from './trail.ts';

interface Deps {
	readonly policy: AuditPolicy;
	readonly backends: readonly AuditBackend[];
	readonly clock: Clock;
	readonly metrics: Registry;
}

export class Auditor {
	readonly #deps: Deps;
	readonly #events: Counter;
	readonly #levels: Counter<'level'>;
	readonly #rejected: Counter;

	constructor(deps: Deps) {
		this.#deps = deps;
		const registers = [deps.metrics];
		this.#events = new Counter({
			name: 'apiserver_audit_event_total',
			help: 'Counter of audit events generated and sent to the audit backend.',
			registers,
		});
		this.#levels = new Counter({
			name: 'apiserver_audit_level_total',
			help: 'Counter of policy levels for audit events (1 per request).',
			labelNames: ['level'],
			registers,
		});
		this.#rejected = new Counter({
			name: 'apiserver_audit_requests_rejected_total',
			help: 'Counter of apiserver requests rejected due to an error in audit logging backend.',
			registers,
		});
	}

	/** Undefined: nothing of this request is written down. */
	begin(request: ApiRequest, auditId: string, asked: Attributes): Trail | undefined {
		const { policy, clock } = this.#deps;
		const verdict = verdictOf(policy, asked);
		this.#levels.inc({ level: verdict.level });
		if (verdict.level === 'None') return undefined;
		return new Trail(verdict, request, auditId, asked, clock, (event) => this.#write(event));
	}

	/** The request cannot be served because it could not be written down. */
	rejected(): void {
		this.#rejected.inc();
	}

	async close(): Promise<void> {
		await Promise.all(this.#deps.backends.map((backend) => backend.close()));
	}

	#write(event: AuditEvent): boolean | Promise<boolean> {
		this.#events.inc();
		const answers = this.#deps.backends.map((backend) => backend.take(event));
		if (answers.every((answer) => answer === true)) return true;
		return this.#inTime(Promise.all(answers.map((answer) => Promise.resolve(answer))));
	}

	/** A backend that blocks keeps nobody longer than a request may take at all. AppError DeadlineExceeded. */
	async #inTime(answers: Promise<readonly boolean[]>): Promise<boolean> {
		using deadline = withDeadline(this.#deps.clock, TIMEOUT_MS, 'The request');
		return (await abortable(answers, deadline.signal)).every(Boolean);
	}
}
