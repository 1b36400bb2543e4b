/** /healthz, /livez and /readyz: one check a name, with ?verbose and ?exclude= and each check by its own path, as upstream's healthz package. */
import { goQuote } from '../../../api/go-quote.ts';
import type { ApiResponse, Handler } from '../contracts.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Registry } from '../../../base/metrics.ts';
import { HealthMetrics } from '../metrics/health-metrics.ts';

export type Probe = 'healthz' | 'livez' | 'readyz';

export interface HealthCheck {
	/** "etcd", "poststarthook/rbac/bootstrap-roles" */
	readonly name: string;
	/** Probes that ask it; all unless told. */
	readonly probes?: readonly Probe[];
	/** Rejects when unhealthy; lists of checks withhold the reason, the check's own path tells it. */
	check(signal: AbortSignal): Promise<void>;
}

const PROBES: readonly Probe[] = ['healthz', 'livez', 'readyz'];
const PING: HealthCheck = { name: 'ping', check: () => Promise.resolve() };

export class Health {
	readonly #checks: readonly HealthCheck[];
	readonly #log: Log;
	readonly #results: HealthMetrics | undefined;

	/** @param slis where results are counted, for /metrics/slis */
	constructor(checks: readonly HealthCheck[], log: Log, slis?: Registry) {
		this.#checks = [PING, ...checks];
		this.#log = log;
		this.#results = slis === undefined ? undefined : new HealthMetrics(slis);
	}

	paths(): readonly string[] {
		return PROBES.flatMap((probe) => [`/${probe}`, ...this.#of(probe).map((check) => `/${probe}/${check.name}`)]);
	}

	/** The handler of a health path; undefined for every other path. */
	route(path: string): Handler | undefined {
		const [probe, ...rest] = path.slice(1).split('/');
		if (!PROBES.includes(probe as Probe)) return undefined;
		const checks = this.#of(probe as Probe);
		const name = rest.join('/');
		if (rest.length === 0) return (request) => this.#all(probe as Probe, checks, request.query, request.signal);
		const one = checks.find((check) => check.name === name);
		if (one === undefined) return undefined;
		return async (request) => {
			const why = await this.#run(probe as Probe, one, request.signal);
			return why === undefined ? ALONE : text(500, `internal server error: ${why}\n`);
		};
	}

	#of(probe: Probe): readonly HealthCheck[] {
		return this.#checks.filter((check) => (check.probes ?? PROBES).includes(probe));
	}

	async #all(probe: Probe, checks: readonly HealthCheck[], query: URLSearchParams, signal: AbortSignal): Promise<ApiResponse> {
		const excluded = new Set(query.getAll('exclude'));
		const lines: string[] = [];
		let failed = false;
		for (const check of checks) {
			if (excluded.delete(check.name)) lines.push(`[+]${check.name} excluded: ok`);
			else if ((await this.#run(probe, check, signal)) !== undefined) {
				failed = true;
				lines.push(`[-]${check.name} failed: reason withheld`);
			} else lines.push(`[+]${check.name} ok`);
		}
		if (excluded.size > 0)
			lines.push(`warn: some health checks cannot be excluded: no matches for ${[...excluded].toSorted().map(goQuote).join(',')}`);
		if (failed) return text(500, `${lines.join('\n')}\n${probe} check failed\n`);
		return query.has('verbose') ? text(200, `${lines.join('\n')}\n${probe} check passed\n`) : text(200, 'ok');
	}

	/** Why the check fails; undefined when it does not. */
	async #run(probe: Probe, check: HealthCheck, signal: AbortSignal): Promise<string | undefined> {
		try {
			await check.check(signal);
			this.#results?.note(probe, check.name, true);
			return undefined;
		} catch (error) {
			this.#results?.note(probe, check.name, false);
			this.#log.warn('health check failed', { check: check.name, why: messageOf(error) });
			return messageOf(error);
		}
	}
}

/** Upstream says of this one nothing but its type. */
const ALONE: ApiResponse = {
	type: 'bytes',
	status: 200,
	headers: { 'content-type': 'text/plain; charset=utf-8' },
	body: Buffer.from('ok'),
};

function text(status: number, body: string): ApiResponse {
	return {
		type: 'bytes',
		status,
		headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, private', 'x-content-type-options': 'nosniff' },
		body: Buffer.from(body),
	};
}
