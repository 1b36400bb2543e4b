/** The kubelet's HTTPS API. */
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { codeOf, messageOf } from '../../base/errors.ts';
import { Callers } from './caller.ts';
import type { ServerDeps } from './deps.ts';
import { attributesOf, Permissions } from './permission.ts';
import { serveGet } from './routes.ts';
import { streamUrl } from './stream-url.ts';
import { joinStream } from './stream-proxy.ts';

export interface KubeletServer {
	readonly port: number;
	close(): Promise<void>;
}

/** A refusal with its HTTP status. */
interface Refusal {
	readonly status: number;
	readonly text: string;
}

const STATUS: Readonly<Record<string, number>> = {
	NotFound: 404,
	InvalidArgument: 400,
	PermissionDenied: 403,
	Unauthenticated: 401,
	Unimplemented: 501,
	Unavailable: 502,
};

export async function startServer(deps: ServerDeps): Promise<KubeletServer> {
	const { context } = deps;
	const { options, client, clock } = context;
	const callers = new Callers(client, clock);
	const permissions = new Permissions(client, clock, options.nodeName);
	const stopping = new AbortController();
	let serving = options.serving();
	const secure = (): object => ({ cert: serving.certPem, key: serving.keyPem, ca: options.clientCaPem });
	const server = createServer({
		...secure(),
		requestCert: true,
		rejectUnauthorized: false,
		ALPNProtocols: ['http/1.1'],
	});
	server.on('connection', () => {
		const now = options.serving();
		if (now.certPem === serving.certPem) return;
		serving = now;
		server.setSecureContext(secure());
	});
	const check = async (request: IncomingMessage, url: URL, signal: AbortSignal): Promise<Refusal | undefined> => {
		const caller = await callers.identify(request, signal);
		if (caller === undefined) return { status: 401, text: 'Unauthorized' };
		const webSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
		const asked = attributesOf(request.method ?? 'GET', url.pathname, webSocket);
		if (await permissions.allowed(caller, asked, signal)) return undefined;
		const { verb = '', subresources = [] } = asked[0] ?? {};
		return {
			status: 403,
			text: `Forbidden (user=${caller.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}])\n`,
		};
	};
	server.on('request', (request: IncomingMessage, response: ServerResponse) => {
		const closed = new AbortController();
		response.once('close', () => closed.abort());
		const signal = AbortSignal.any([closed.signal, stopping.signal]);
		const url = new URL(request.url ?? '/', 'https://kubelet');
		const serve = async (): Promise<void> => {
			const refusal = await check(request, url, signal);
			if (refusal !== undefined) return answer(response, refusal);
			await serveGet(request, response, url, deps, signal);
		};
		serve().catch((error: unknown) => {
			if (!signal.aborted) context.log.warn('kubelet API request failed', { path: url.pathname, reason: messageOf(error) });
			if (response.headersSent) response.destroy();
			else answer(response, refusalOf(error));
		});
	});
	server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
		socket.on('error', () => {});
		const url = new URL(request.url ?? '/', 'https://kubelet');
		const serve = async (): Promise<void> => {
			const refusal = await check(request, url, stopping.signal);
			if (refusal !== undefined) return refuse(socket, refusal);
			const target = await streamUrl(url, deps, stopping.signal);
			await joinStream(request, socket, head, target, stopping.signal);
		};
		serve().catch((error: unknown) => refuse(socket, refusalOf(error)));
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(options.port, options.bindAddress ?? '0.0.0.0', resolve);
	});
	return {
		port: (server.address() as AddressInfo).port,
		close: async () => {
			stopping.abort();
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

function refusalOf(error: unknown): Refusal {
	return { status: STATUS[codeOf(error)] ?? 500, text: `${messageOf(error)}\n` };
}

function answer(response: ServerResponse, { status, text }: Refusal): void {
	response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
}

function refuse(socket: Duplex, { status, text }: Refusal): void {
	if (socket.destroyed) return;
	socket.end(
		`HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
	);
}
