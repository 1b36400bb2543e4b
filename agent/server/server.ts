/** The kubelet's HTTPS API. */
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { messageOf } from '../../base/errors.ts';
import { MAX_HEADER_BYTES } from '../../wire/http/header-limit.ts';
import { requestUrl } from '../../wire/http/request-url.ts';
import { settingsIn } from '../config/settings.ts';
import { answer, BAD_REQUEST, refusalOf, type Refusal } from './answers.ts';
import { Callers } from './caller.ts';
import { ClientCas } from './client-cas.ts';
import { serverState, type ServerDeps } from './deps.ts';
import { HttpMetrics } from './http-metrics.ts';
import { attributesOf, Permissions } from './permission.ts';
import { plainServers } from './plain.ts';
import { inRequestSpan } from './request-span.ts';
import { serve } from './routes.ts';
import { commandWants, streamUrl } from './stream-url.ts';
import { carryStream } from './streams.ts';

export interface KubeletServer {
	readonly port: number;
	close(): Promise<void>;
}

/** How long a connection may be without a request, upstream's number. */
const IDLE_MS = 90_000;

export async function startServer(deps: ServerDeps): Promise<KubeletServer> {
	const { context } = deps;
	const { options, client, clock } = context;
	const settings = settingsIn(options).server;
	const state = serverState(deps);
	const cas = new ClientCas(options.clientCas, clock);
	const callers = new Callers(client, clock, cas, settings);
	const permissions = new Permissions(client, clock, options.nodeName, settings);
	const figures = new HttpMetrics(context.figures.registry);
	const stopping = new AbortController();
	let serving = options.serving();
	let trusted = cas.pem;
	const secure = (): SecureContextOptions => ({
		...(serving === undefined ? {} : { cert: serving.certPem, key: serving.keyPem }),
		ca: trusted,
		...(settings.minVersion === undefined ? {} : { minVersion: settings.minVersion }),
		...(settings.ciphers === undefined ? {} : { ciphers: settings.ciphers }),
	});
	const server = createServer({
		...secure(),
		requestCert: true,
		rejectUnauthorized: false,
		ALPNProtocols: ['http/1.1'],
		keepAliveTimeout: IDLE_MS,
		maxHeaderSize: MAX_HEADER_BYTES,
	});
	// Before the TLS handshake of that very connection begins.
	server.prependListener('connection', () => {
		const [now, ca] = [options.serving(), cas.pem];
		if (now?.certPem === serving?.certPem && ca === trusted) return;
		[serving, trusted] = [now, ca];
		server.setSecureContext(secure());
	});
	const check = async (request: IncomingMessage, url: URL, upgrades: boolean, signal: AbortSignal): Promise<Refusal | undefined> => {
		const caller = await callers.identify(request, signal);
		if (caller === undefined) return { status: 401, text: 'Unauthorized' };
		const asked = attributesOf(request.method ?? 'GET', url.pathname, upgrades);
		if (await permissions.allowed(caller, asked, signal)) return undefined;
		const { verb = '', subresources = [] } = asked[0] ?? {};
		return {
			status: 403,
			text: `Forbidden (user=${caller.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}])\n`,
		};
	};
	server.on('request', (request: IncomingMessage, response: ServerResponse) => {
		const url = requestUrl(request);
		if (url === undefined) return answer(response, BAD_REQUEST);
		const closed = new AbortController();
		const done = figures.begin(request.method ?? '', url.pathname, 'readwrite', () => clock.monotonic());
		response.once('close', () => {
			closed.abort();
			done();
		});
		const signal = AbortSignal.any([closed.signal, stopping.signal]);
		const work = async (): Promise<void> => {
			const refusal = await check(request, url, false, signal);
			if (refusal !== undefined) return answer(response, refusal);
			await inRequestSpan(context.tracer, request, url, response, () =>
				serve({ request, response, url, deps, state, signal }).catch(failed),
			);
		};
		const failed = (error: unknown): void => {
			if (!signal.aborted) context.log.warn('kubelet API request failed', { path: url.pathname, reason: messageOf(error) });
			if (response.headersSent) response.destroy();
			else answer(response, refusalOf(error));
		};
		work()
			.catch(failed)
			.catch(() => response.destroy());
	});
	server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
		socket.on('error', () => {});
		const url = requestUrl(request);
		if (url === undefined) return refuse(socket, BAD_REQUEST);
		const done = figures.begin(request.method ?? '', url.pathname, 'readwrite', () => clock.monotonic());
		socket.once('close', done);
		const work = async (): Promise<void> => {
			const refusal = await check(request, url, true, stopping.signal);
			if (refusal !== undefined) return refuse(socket, refusal);
			if (!settings.debugging) return refuse(socket, { status: 405, text: 'Debug endpoints are disabled.\n' });
			await inRequestSpan(context.tracer, request, url, undefined, async () => {
				try {
					const target = await streamUrl(request, url, deps, stopping.signal);
					figures.streaming(url.pathname, request.headers);
					const asking = { request, socket, head, path: url.pathname, wants: commandWants(url.searchParams) };
					const refused = await carryStream(asking, target, { clock, idleMs: settings.streamIdleMs }, stopping.signal);
					if (refused !== undefined) refuse(socket, refused);
					return refused?.status;
				} catch (error) {
					const refused = refusalOf(error);
					refuse(socket, refused);
					return refused.status;
				}
			});
		};
		work()
			.catch((error: unknown) => refuse(socket, refusalOf(error)))
			.catch(() => socket.destroy());
	});
	if (settings.enabled)
		await new Promise<void>((resolve, reject) => {
			server.once('error', reject);
			server.listen(options.port, options.bindAddress ?? '0.0.0.0', resolve);
		});
	const plain = plainServers(deps, state, figures, stopping.signal);
	return {
		port: settings.enabled ? (server.address() as AddressInfo).port : 0,
		close: async () => {
			stopping.abort();
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
			await plain;
		},
	};
}

function refuse(socket: Duplex, { status, text }: Refusal): void {
	if (socket.destroyed) return;
	socket.end(
		`HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
	);
}
