/** Requests to something behind the API server (a kubelet, a pod, a service endpoint), bodies streamed and upgrades passed through byte for byte. */
import { request as httpRequest, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { internalError, serviceUnavailable } from '../../../api/status.ts';
import { messageOf } from '../../../base/errors.ts';
import { letGo } from '../../../base/let-go.ts';
import { KeptConnections } from '../../../wire/http/kept-connection.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';

export interface BackendTarget {
	readonly scheme: 'http' | 'https';
	readonly host: string;
	readonly port: number;
	/** Path and query. */
	readonly path: string;
	/** Where each target is trusted on terms of its own. */
	readonly tls?: BackendTls | undefined;
	/** Headers of the client that are not passed on. */
	readonly drops?: ((name: string) => boolean) | undefined;
	/** Headers of ours. */
	readonly headers?: OutgoingHttpHeaders | undefined;
	/** The answer when nobody answers; a Status unless told. */
	readonly unreachable?: ((error: Error) => ApiResponse) | undefined;
}

export interface BackendTls {
	/** PEM of the certificate and key shown to the backend. */
	readonly cert?: string;
	readonly key?: string;
	/** PEM; without it the backend's certificate is not verified (upstream's default towards kubelets without --kubelet-certificate-authority). */
	readonly ca?: string;
	/** The name its certificate must have, where that is not the address. */
	readonly serverName?: string;
	/** Unless told, a certificate is verified when there is a CA to verify it by. */
	readonly verify?: boolean;
}

/** Belong to one connection or to the caller's identity; never passed on. */
const DROPPED = new Set([
	'host',
	'authorization',
	'connection',
	'keep-alive',
	'proxy-connection',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
	'content-length',
]);

export class Backend {
	readonly #tls: () => BackendTls;
	readonly #kept = new KeptConnections(new Agent({ keepAlive: true, maxFreeSockets: 16 }));

	constructor(tls: () => BackendTls) {
		this.#tls = tls;
	}

	/** Sends the request on and gives the answer back as it comes. StatusError ServiceUnavailable when nobody answers. */
	async pass(request: ApiRequest, target: BackendTarget): Promise<ApiResponse> {
		const upgrade = request.headers['upgrade'] !== undefined ? request.upgrade : undefined;
		const body = upgrade === undefined && hasBody(request) ? await request.body() : undefined;
		let answer: Answer;
		try {
			answer = await this.#kept.send(() => this.#open(request, target, upgrade !== undefined, body), answered);
		} catch (error) {
			if (target.unreachable !== undefined) return target.unreachable(error as Error);
			throw serviceUnavailable(`error trying to reach service: dial tcp ${target.host}:${target.port}: ${messageOf(error)}`);
		}
		if (answer.type === 'response') return stream(answer.message);
		if (upgrade === undefined) throw internalError('the backend upgraded a connection nobody asked to upgrade');
		const { socket, head } = upgrade();
		join(answer.message, answer.socket, answer.head, socket, head);
		return { type: 'upgraded' };
	}

	close(): void {
		this.#kept[Symbol.dispose]();
	}

	#open(request: ApiRequest, target: BackendTarget, upgrade: boolean, body: Uint8Array | undefined): ClientRequest {
		const options = {
			host: target.host,
			port: target.port,
			path: target.path,
			method: request.method,
			headers: passedHeaders(request, target, upgrade, body),
			signal: request.signal,
		};
		const { ca, cert, key, serverName = '', verify = ca !== undefined } = target.tls ?? this.#tls();
		const tls = {
			...(cert === undefined ? {} : { cert }),
			...(key === undefined ? {} : { key }),
			...(ca === undefined ? {} : { ca }),
			servername: serverName === '' ? (isIP(target.host) === 0 ? target.host : '') : serverName, // else it would be that of the Host header
			rejectUnauthorized: verify,
		};
		const out =
			target.scheme === 'https'
				? httpsRequest({ ...options, ...tls, ...(upgrade ? { agent: false } : { agent: this.#kept.agent }) })
				: httpRequest(options);
		const abort = (): void => void out.destroy();
		request.signal.addEventListener('abort', abort, { once: true });
		out.once('close', () => request.signal.removeEventListener('abort', abort));
		return out.end(body);
	}
}

function hasBody(request: ApiRequest): boolean {
	return !['GET', 'HEAD', 'OPTIONS'].includes(request.method) && (request.headers['content-length'] ?? '1') !== '0';
}

function passedHeaders(
	request: ApiRequest,
	{ drops, headers: own }: BackendTarget,
	upgrade: boolean,
	body: Uint8Array | undefined,
): OutgoingHttpHeaders {
	const headers: OutgoingHttpHeaders = {};
	for (const [name, value] of Object.entries(request.headers)) {
		if (value === undefined || name.startsWith(':') || name.startsWith('impersonate-') || DROPPED.has(name)) continue;
		if (drops?.(name) === true) continue;
		// Go's servers read each offered SPDY protocol from a header line of its own.
		headers[name] = name === 'x-stream-protocol-version' ? value.split(/,\s*/) : value;
	}
	Object.assign(headers, own);
	const before = request.headers['x-forwarded-for'] ?? '';
	headers['x-forwarded-for'] = `${before === '' ? '' : `${before}, `}${request.remoteAddress}`;
	if (body !== undefined) headers['content-length'] = body.length;
	if (upgrade) {
		headers['connection'] = 'Upgrade';
		headers['upgrade'] = request.headers['upgrade'];
	}
	return headers;
}

type Answer =
	| { readonly type: 'response'; readonly message: IncomingMessage }
	| { readonly type: 'upgrade'; readonly message: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

function answered(out: ClientRequest): Promise<Answer> {
	return new Promise((resolve, reject) => {
		out.once('response', (message) => resolve({ type: 'response', message }));
		out.once('upgrade', (message, socket, head) => resolve({ type: 'upgrade', message, socket, head }));
		out.on('error', reject);
	});
}

function stream(message: IncomingMessage): ApiResponse {
	const headers: Record<string, string> = {};
	for (const [name, value] of Object.entries(message.headers)) {
		if (value === undefined || name === 'set-cookie' || DROPPED.has(name)) continue;
		headers[name] = typeof value === 'string' ? value : value.join(', ');
	}
	const { 'set-cookie': cookies = [] } = message.headers;
	return { type: 'stream', status: message.statusCode ?? 502, headers, ...(cookies.length === 0 ? {} : { cookies }), body: message };
}

/** Writes the backend's 101 to the client and ties the two sockets together until either ends. */
function join(message: IncomingMessage, back: Duplex, backHead: Buffer, front: Duplex, frontHead: Uint8Array): void {
	const lines = [`HTTP/1.1 101 ${message.statusMessage ?? 'Switching Protocols'}`];
	for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) lines.push(`${message.rawHeaders[i]}: ${message.rawHeaders[i + 1]}`);
	front.write(`${lines.join('\r\n')}\r\n\r\n`);
	if (backHead.length > 0) front.write(backHead);
	if (frontHead.length > 0) back.write(frontHead);
	const end = (): void => {
		letGo(front);
		letGo(back);
	};
	for (const socket of [front, back]) {
		socket.once('close', end);
		socket.on('error', end);
	}
	front.pipe(back);
	back.pipe(front);
}
