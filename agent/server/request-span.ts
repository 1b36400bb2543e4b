/** The span of a request of the kubelet API: upstream's name and words (otelrestful's filter). Whose it may be besides is not asked, as by upstream's. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { isServedBy } from './routes.ts';
import type { Attributes, SpanStart } from '../tracing/span.ts';
import { inSpan, type Tracer } from '../tracing/tracer.ts';

const SCOPE = 'go.opentelemetry.io/contrib/instrumentation/github.com/emicklei/go-restful/otelrestful';
/** Those of otelrestful; others are GETs whose method was another one. */
const METHODS: ReadonlySet<string> = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);

/** Serves within a span, where spans are told; `serve` answers failures itself, and gives the status where it has no response to say it. */
export async function inRequestSpan(
	tracer: Tracer | undefined,
	request: IncomingMessage,
	url: URL,
	response: ServerResponse | undefined,
	serve: () => Promise<number | void>,
): Promise<void> {
	if (tracer === undefined) return void (await serve());
	return inSpan(tracer, requestSpan(request, url), async (span) => {
		const refusedWith = await serve();
		const status = refusedWith ?? response?.statusCode ?? 200; // of a stream, as by go-restful
		span?.set({ 'http.response.status_code': status });
		if (status >= 500) span?.fail({ message: '' });
	});
}

function requestSpan(request: IncomingMessage, url: URL): SpanStart {
	const { method = 'GET', headers, socket, httpVersion } = request;
	const route = routeOf(method, url.pathname);
	const secure = (socket as Partial<TLSSocket>).encrypted === true;
	const port = Number(/:(\d+)$/.exec(headers.host ?? '')?.[1] ?? 0);
	const { remoteAddress = '', remotePort = 0 } = socket;
	const peer = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');
	const known = METHODS.has(method.toUpperCase());
	const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')[0] ?? '';
	const attributes: Record<string, string | number> = {
		'server.address': 'kubelet',
		'http.request.method': known ? method.toUpperCase() : 'GET',
		'url.scheme': secure ? 'https' : 'http',
		'server.port': port === (secure ? 443 : 80) ? 0 : port,
		'http.request.method_original': known && method === method.toUpperCase() ? '' : method,
		'network.peer.address': peer,
		'network.peer.port': remotePort,
		'user_agent.original': headers['user-agent'] ?? '',
		'client.address': forwarded === '' ? peer : forwarded,
		'url.path': url.pathname,
		'network.protocol.version': httpVersion,
		'http.route': route,
	};
	return { scope: SCOPE, name: route, kind: 'server', attributes: told(attributes) };
}

/** What there is. */
function told(attributes: Attributes): Attributes {
	return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== '' && value !== 0));
}

const OF_CONTAINER = ['podNamespace', 'podID', 'containerName'];
const OF_ONE = [OF_CONTAINER, ['podNamespace', 'podID', 'uid', 'containerName']];
/** What follows the first part of a path, by how many parts there are. */
const ROUTES: Readonly<Record<string, readonly (readonly string[])[]>> = {
	...{ pods: [[]], runningpods: [[]], containerLogs: [OF_CONTAINER], checkpoint: [OF_CONTAINER] },
	...{ run: OF_ONE, exec: OF_ONE, attach: OF_ONE },
	portForward: [OF_CONTAINER.slice(0, 2), ['podNamespace', 'podID', 'uid']],
};

/** Pure: the pattern of upstream's that a path is of; empty for what upstream serves without one (metrics, health, configz). */
export function routeOf(method: string, path: string): string {
	const [first = '', ...rest] = path.replace(/^\//, '').split('/');
	if (!isServedBy(first, method)) return '';
	const parts = rest.at(-1) === '' ? rest.slice(0, -1) : rest;
	if (first === 'stats') return parts.join('/') === 'summary' ? '/stats/summary' : '';
	if (first === 'logs') return parts.length === 0 ? '/logs/' : '/logs/{logpath:*}';
	if (first === 'debug') return parts[0] === 'pprof' ? '/debug/pprof/{subpath:*}' : '';
	const names = (Object.hasOwn(ROUTES, first) ? ROUTES[first] : undefined)?.find(({ length }) => length === parts.length);
	return names === undefined ? '' : `/${first}/${names.map((name) => `{${name}}`).join('/')}`;
}
