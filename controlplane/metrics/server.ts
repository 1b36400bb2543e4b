/**
 * The provider of metrics.k8s.io as an aggregated API server: HTTPS for the API server's front proxy, which has authenticated and authorized
 * whoever asks. Nobody else is answered but by /healthz, /livez and /readyz.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { methodNotAllowed, toStatusError, unauthorized } from '../../api/status.ts';
import { linked } from '../../base/abort.ts';
import { messageOf } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { requestUrl } from '../../wire/http/request-url.ts';
import { Kubelets, type KubeletTls } from './kubelet.ts';
import { NodeLooks } from './looks.ts';
import { MetricsProvider } from './provider.ts';

export interface MetricsServerOptions {
	readonly bindAddress: string;
	/** 0: any. */
	readonly port: number;
	/** Asked before each connection. */
	readonly certificate: () => { readonly certPem: string; readonly keyPem: string };
	/** PEM of the CA of the front proxy's certificate. */
	readonly frontProxyCa: string;
	readonly kubelets: KubeletTls;
}

interface Deps {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
}

const PLAIN = { 'content-type': 'text/plain' };
const HEALTH = new Set(['/healthz', '/livez', '/readyz']);

/** Serves until the signal aborts. */
export async function serveMetrics(
	options: MetricsServerOptions,
	{ client, clock, log }: Deps,
	signal: AbortSignal,
	onListening: (port: number) => void,
): Promise<void> {
	using kubelets = new Kubelets(options.kubelets, clock);
	const looks = new NodeLooks({ look: (node, stop) => kubelets.look(node, stop), clock, log, signal });
	const provider = new MetricsProvider({ client, looks, clock });
	const secure = (): { cert: string; key: string; ca: string } => {
		const { certPem: cert, keyPem: key } = options.certificate();
		return { cert, key, ca: options.frontProxyCa };
	};
	const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const url = requestUrl(request);
		if (url === undefined) return void response.writeHead(400, PLAIN).end('Bad Request');
		if (HEALTH.has(url.pathname)) return void response.writeHead(200, PLAIN).end('ok');
		using answering = linked(signal);
		response.once('close', () => answering.abort());
		try {
			if (!(request.socket as TLSSocket).authorized) throw unauthorized();
			if (request.method !== 'GET') throw methodNotAllowed();
			const asTable = /;as=Table\b/.test(request.headers.accept ?? '');
			send(response, 200, await provider.answer(url, asTable, answering.signal));
		} catch (error) {
			const refusal = toStatusError(error);
			if (refusal.httpCode >= 500 && !answering.signal.aborted) log.warn('cannot answer', { path: url.pathname, reason: messageOf(error) });
			send(response, refusal.httpCode, refusal.status);
		}
	};
	let shown = secure();
	const server = createServer(
		{ ...shown, requestCert: true, rejectUnauthorized: false },
		(request, response) => void respond(request, response).catch(() => response.destroy()),
	);
	server.prependListener('connection', () => {
		const now = secure();
		if (now.cert === shown.cert) return;
		shown = now;
		server.setSecureContext(now);
	});
	const closed = Promise.withResolvers<void>();
	server.once('error', closed.reject).once('close', closed.resolve);
	const stop = (): void => {
		server.close();
		server.closeAllConnections();
	};
	server.listen(options.port, options.bindAddress, () => {
		onListening((server.address() as AddressInfo).port);
		if (signal.aborted) stop();
		else signal.addEventListener('abort', stop, { once: true });
	});
	try {
		await closed.promise;
	} finally {
		signal.removeEventListener('abort', stop);
	}
}

function send(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
