/** Requests of the kubelet API, counted under upstream's names; paths and methods of anybody's making do not multiply. */
import type { IncomingHttpHeaders } from 'node:http';
import { Counter, Gauge, Histogram, type Registry } from '../../base/metrics.ts';
import { asksStreamClose, asksTunnel } from '../../wire/remotecommand/asked.ts';

const LABELS = ['method', 'path', 'server_type', 'long_running'];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const PATHS = new Set([
	...['healthz', 'pods', 'runningpods', 'stats', 'metrics', 'metrics/cadvisor', 'metrics/probes', 'metrics/resource', 'metrics/slis'],
	...['run', 'exec', 'attach', 'portForward', 'containerLogs', 'logs', 'configz', 'checkpoint', 'debug', 'statusz', 'flagz'],
]);
const LONG = new Set(['exec', 'attach', 'portForward', 'debug']);

export type ServerType = 'readwrite' | 'readonly';

export class HttpMetrics {
	readonly #total: Counter;
	readonly #inFlight: Gauge;
	readonly #duration: Histogram;
	readonly #webSockets: Counter;

	constructor(registry: Registry) {
		const registers = [registry];
		this.#total = new Counter({
			...{ name: 'kubelet_http_requests_total', labelNames: LABELS, registers },
			help: '[ALPHA] Number of the http requests received since the server started',
		});
		this.#inFlight = new Gauge({
			...{ name: 'kubelet_http_inflight_requests', labelNames: LABELS, registers },
			help: '[ALPHA] Number of the inflight http requests',
		});
		this.#duration = new Histogram({
			...{ name: 'kubelet_http_requests_duration_seconds', labelNames: LABELS, registers },
			help: '[ALPHA] Duration in seconds to serve http requests',
			buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
		});
		this.#webSockets = new Counter({
			...{ name: 'kubelet_websocket_streaming_requests_total', labelNames: ['subresource'], registers },
			help: '[ALPHA] Total number of WebSocket streaming requests (exec/attach/portforward) received by the kubelet.',
		});
	}

	/** An upgrade whose stream there is. */
	streaming(path: string, headers: IncomingHttpHeaders): void {
		const subresource = webSocketStream(path, headers);
		if (subresource !== undefined) this.#webSockets.inc({ subresource });
	}

	/** Call what is returned when the request has ended. */
	begin(method: string, path: string, type: ServerType, now: () => number): () => void {
		const labels = labelsOf(method, path, type);
		const from = now();
		this.#total.inc(labels);
		this.#inFlight.inc(labels);
		return () => {
			this.#inFlight.dec(labels);
			this.#duration.observe(labels, (now() - from) / 1000);
		};
	}
}

/** Pure: what a WebSocket of the protocols that end streams one by one is for; undefined of any other request. */
export function webSocketStream(path: string, headers: IncomingHttpHeaders): 'exec' | 'attach' | 'portforward' | undefined {
	const verb = path.split('/')[1];
	if (verb === 'exec' || verb === 'attach') return asksStreamClose(headers) ? verb : undefined;
	return verb === 'portForward' && asksTunnel(headers) ? 'portforward' : undefined;
}

/** Pure. */
export function labelsOf(method: string, path: string, type: ServerType): Readonly<Record<string, string>> {
	const [first = '', second] = path.replace(/^\//, '').split('/');
	const name = first === 'metrics' && second !== undefined && second !== '' ? `${first}/${second}` : first;
	return {
		method: METHODS.has(method) ? method : 'other',
		path: PATHS.has(name) ? name : 'other',
		server_type: type,
		long_running: String(LONG.has(first)),
	};
}
