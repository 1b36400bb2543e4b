/** How authentication and authorization went, under upstream's names. */
import { Counter, SeriesHistogram, type Registry, type Series } from '../../../base/metrics.ts';
import type { Decision, UserInfo } from '../contracts.ts';

const SECONDS = Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i);
/** Everybody else is "other": names are no labels. */
const KNOWN = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default']);

type Authenticated = 'success' | 'failure' | 'error';
type Authorized = 'allowed' | 'denied' | 'no-opinion' | 'error';

export class IdentityMetrics {
	readonly #attempts: Record<Authenticated, number> = { success: 0, failure: 0, error: 0 };
	readonly #decisions: Record<Authorized, number> = { allowed: 0, denied: 0, 'no-opinion': 0, error: 0 };
	readonly #users = new Map<string, number>();
	readonly #authentication: Record<Authenticated, Series>;
	readonly #authorization: Record<Authorized, Series>;

	constructor(registry: Registry) {
		const registers = [registry];
		const counter = (name: string, help: string, counts: Record<string, number>): void => {
			new Counter<'result'>({
				...{ name, help, labelNames: ['result'], registers },
				collect() {
					for (const [result, count] of Object.entries(counts)) if (count > 0) this.inc({ result }, count);
					for (const result of Object.keys(counts)) counts[result] = 0;
				},
			});
		};
		counter('authentication_attempts', 'Counter of authenticated attempts.', this.#attempts);
		counter(
			'authorization_attempts_total',
			"Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
			this.#decisions,
		);
		const users = this.#users;
		new Counter<'username'>({
			...{ name: 'authenticated_user_requests', labelNames: ['username'], registers },
			help: 'Counter of authenticated requests broken out by username.',
			collect() {
				for (const [username, count] of users) this.inc({ username }, count);
				users.clear();
			},
		});
		const histogram = <R extends string>(name: string, help: string, results: readonly R[]): Record<R, Series> => {
			const made = new SeriesHistogram({ name, help, buckets: SECONDS, registers });
			return Object.fromEntries(results.map((result) => [result, made.series({ result })])) as Record<R, Series>;
		};
		this.#authentication = histogram('authentication_duration_seconds', 'Authentication duration in seconds broken out by result.', [
			'success',
			'failure',
			'error',
		]);
		this.#authorization = histogram('authorization_duration_seconds', 'Authorization duration in seconds broken out by result.', [
			'allowed',
			'denied',
			'no-opinion',
			'error',
		]);
	}

	authenticated({ name }: UserInfo, seconds: number): void {
		this.#attempts.success++;
		this.#authentication.success.observe(seconds);
		const username = KNOWN.has(name) ? name : name.includes('@') ? 'email_id' : 'other';
		this.#users.set(username, (this.#users.get(username) ?? 0) + 1);
	}

	refused(seconds: number): void {
		this.#attempts.error++;
		this.#authentication.error.observe(seconds);
	}

	decided({ allowed, denied, error }: Decision, seconds: number): void {
		const result = allowed ? 'allowed' : denied ? 'denied' : error === undefined ? 'no-opinion' : 'error';
		this.#decisions[result]++;
		this.#authorization[result].observe(seconds);
	}
}
