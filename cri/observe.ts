/** /healthz and /metrics of a shim on its own: what a supervisor and a Prometheus server ask for. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../base/errors.ts';
import { Gauge, type Registry } from '../base/metrics.ts';
import { requestUrl } from '../wire/http/request-url.ts';
import type { Context } from './context.ts';
import { status } from './handlers/status.ts';

const HEALTH_MS = 10_000;

export class Observe {
	readonly #server: Server;

	constructor(
		context: Pick<Context, 'clock' | 'state'>,
		conditions: (signal: AbortSignal) => Promise<readonly Condition[]>,
		metrics: Registry,
	) {
		countPods(context.state, metrics);
		this.#server = createServer((request, response) => {
			const answer = async (): Promise<readonly [number, string, string]> => {
				const path = requestUrl(request)?.pathname;
				if (path === undefined) return [400, 'text/plain', 'Bad Request\n'];
				if (request.method !== 'GET' && request.method !== 'HEAD') return [405, 'text/plain', 'only GET is served\n'];
				if (path === '/metrics') return [200, metrics.contentType, await metrics.metrics()];
				if (path !== '/healthz') return [404, 'text/plain', '/healthz and /metrics are served\n'];
				const stop = new AbortController();
				using _bound = context.clock.after(HEALTH_MS, () => stop.abort(new Error('the check took too long')));
				const all = await conditions(stop.signal);
				const healthy = all.every((c) => c.status);
				const lines = all.map((c) => `[${c.status ? '+' : '-'}]${c.type} ${c.status ? 'ok' : c.message}`);
				return [healthy ? 200 : 503, 'text/plain', `${lines.join('\n')}\n${healthy ? 'ok' : 'not healthy'}\n`];
			};
			answer()
				.catch((error: unknown): readonly [number, string, string] => [500, 'text/plain', `${messageOf(error)}\n`])
				.then(([code, type, body]) => response.writeHead(code, { 'content-type': type }).end(body))
				.catch(() => response.destroy());
		});
	}

	/** Resolves with the port. */
	start({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
		return new Promise((resolve, reject) => {
			this.#server.once('error', reject);
			this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
		});
	}

	async stop(): Promise<void> {
		const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
		this.#server.closeAllConnections();
		await closed;
	}
}

interface Condition {
	readonly type: string;
	readonly status: boolean;
	readonly message: string;
}

/** The conditions that the RPC Status tells. */
export function conditionsOf(context: Context): (signal: AbortSignal) => Promise<readonly Condition[]> {
	return async (signal) => (await status(context, { verbose: false }, signal)).status?.conditions ?? [];
}

/** How many there are when somebody asks: nothing is counted along the way. */
function countPods(state: Context['state'], metrics: Registry): void {
	const gauge = (name: string, help: string, count: () => number): Gauge =>
		new Gauge({
			name,
			help,
			registers: [metrics],
			collect() {
				this.set(count());
			},
		});
	gauge('kubeling_cri_sandboxes', 'Pod sandboxes that the shim knows, ended ones too.', () => state.sandboxRecords().length);
	gauge('kubeling_cri_containers', 'Containers that the shim knows, ended ones too.', () => state.containerRecords().length);
}
