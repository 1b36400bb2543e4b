/** Spans of requests to the API server, as upstream's kubelet has them (otelhttp's transport); the server is told whose they are. */
import { messageOf } from '../../base/errors.ts';
import { followed } from '../../client/followed-body.ts';
import type { Transport, TransportRequest } from '../../client/transport.ts';
import type { SpanStart } from './span.ts';
import type { Tracer } from './tracer.ts';

const SCOPE = 'go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp';

/** @param server "https://10.0.0.1:6443" */
export function tracedTransport(transport: Transport, tracer: Tracer, server: string): Transport {
	return {
		...transport,
		upgrade: (request, signal) => transport.upgrade(request, signal),
		close: () => transport.close(),
		async request(request, signal) {
			const span = tracer.open(requestSpan(request, new URL(server)));
			const failed = (error: unknown): void => {
				span.fail({ message: messageOf(error) });
				span.end();
			};
			try {
				const headers = { ...request.headers, traceparent: span.traceparent };
				const answer = await transport.request({ ...request, headers }, signal);
				span.set({ 'http.response.status_code': answer.status });
				if (answer.status >= 400) {
					span.set({ 'error.type': String(answer.status) });
					span.fail({ message: '' });
				}
				const end = (): void => span.end();
				return { ...answer, body: followed(answer.body, { whole: end, left: end, failed }) };
			} catch (error) {
				span.set({ 'error.type': error instanceof Error ? error.name : typeof error });
				failed(error);
				throw error;
			}
		},
	};
}

function requestSpan({ method, path }: TransportRequest, server: URL): SpanStart {
	return {
		...{ scope: SCOPE, name: `HTTP ${method}`, kind: 'client' },
		attributes: {
			...{
				'http.request.method': method,
				'url.full': new URL(path, server).href,
				'server.address': server.hostname.replace(/^\[(.*)\]$/, '$1'),
			},
			...(server.port === '' ? {} : { 'server.port': Number(server.port) }),
			'network.protocol.version': '1.1', // what Go's requests say, whatever they travel by
		},
	};
}
