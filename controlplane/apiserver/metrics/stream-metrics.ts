/** Exec, attach and port-forward by the way they took to the kubelet, under upstream's names (apiserver's util/proxy/metrics). */
import { Counter, type Registry } from '../../../base/metrics.ts';

export class StreamMetrics {
	readonly #translated: Counter<'code'>;
	readonly #tunnelled: Counter<'code'>;
	readonly #requests: Counter<'subresource' | 'proxy_type'>;

	constructor(registry: Registry) {
		const registers = [registry];
		const labelNames = ['code'] as const;
		this.#translated = new Counter({
			...{ name: 'apiserver_stream_translator_requests_total', labelNames, registers },
			help: 'Total number of requests that were handled by the StreamTranslatorProxy, which processes streaming RemoteCommand/V5',
		});
		this.#tunnelled = new Counter({
			...{ name: 'apiserver_stream_tunnel_requests_total', labelNames, registers },
			help: 'Total number of requests that were handled by the StreamTunnelProxy, which processes streaming PortForward/V2',
		});
		this.#requests = new Counter({
			...{ name: 'apiserver_websocket_streaming_requests_total', labelNames: ['subresource', 'proxy_type'] as const, registers },
			help: 'Total number of WebSocket streaming requests (exec/attach/portforward) routed by the API server, labeled by subresource and proxy_type. proxy_type is proxied_to_kubelet when the kubelet handles the request directly; otherwise translated_at_apiserver.',
		});
	}

	/** Any request for a stream, whatever it is carried by. @param toKubelet the kubelet knows all WebSockets itself */
	asked(subresource: string, toKubelet: boolean): void {
		this.#requests.inc({ subresource, proxy_type: toKubelet ? 'proxied_to_kubelet' : 'translated_at_apiserver' });
	}

	translated(code: number): void {
		this.#translated.inc({ code: String(code) });
	}

	tunnelled(code: number): void {
		this.#tunnelled.inc({ code: String(code) });
	}
}
