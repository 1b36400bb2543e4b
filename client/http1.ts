/** HTTP/1.1 to an API server: for servers without HTTP/2, and for upgrades. */
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { callbackify } from 'node:util';
import { AppError, messageOf } from '../base/errors.ts';
import { readText } from '../base/lines.ts';
import { KeptConnections, responseTo } from '../wire/http/kept-connection.ts';
import { flatten, warningsOf } from './response-headers.ts';
import { errorOf } from './status-answer.ts';
import type { SentHeaders } from './response-headers.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';
import type { Socket } from 'node:net';

export type OpenSocket = (signal: AbortSignal) => Promise<Socket>;

/** Keeps sockets open between requests, opened by `open` (TLS or not). */
export class Http1Connections {
	readonly #origin: URL;
	readonly #kept = new KeptConnections(new HttpAgent({ keepAlive: true, scheduling: 'lifo' }));

	constructor(origin: URL, open: OpenSocket) {
		this.#origin = origin;
		const openOne = callbackify(() => open(new AbortController().signal));
		this.#kept.agent.createConnection = (_options, done) => {
			openOne((error, socket) => done?.(error, socket));
			return undefined;
		};
	}

	async request(request: TransportRequest, headers: SentHeaders, signal: AbortSignal): Promise<TransportResponse> {
		const start = (): ClientRequest => startRequest(this.#origin, request, headers, { agent: this.#kept.agent }, signal).end(request.body);
		const answer = await this.#kept.send(start, responseTo).catch((cause: unknown) => {
			throw failureOf(this.#origin, cause, signal);
		});
		return {
			status: answer.statusCode ?? 0,
			headers: flatten(answer.headers),
			warnings: warningsOf(answer.headersDistinct['warning']),
			body: bodyOf(answer, signal),
		};
	}

	close(): void {
		this.#kept[Symbol.dispose]();
	}
}

/** An upgrade on a socket of its own; rejects with the server's answer as a StatusError. */
export async function upgradeOn(
	socket: Socket,
	origin: URL,
	request: TransportRequest,
	headers: SentHeaders,
	signal: AbortSignal,
): Promise<{ readonly socket: Duplex; readonly head: Uint8Array; readonly headers: Readonly<Record<string, string>> }> {
	return await new Promise((resolve, reject) => {
		const fail = (error: unknown): void => {
			socket.destroy();
			reject(error);
		};
		const sent = startRequest(origin, request, { connection: 'Upgrade', ...headers }, { createConnection: () => socket }, signal);
		sent.on('error', (cause) => fail(failureOf(origin, cause, signal)));
		sent.once('upgrade', (answer, upgraded, head) => resolve({ socket: upgraded, head, headers: flatten(answer.headers) }));
		sent.once('response', (answer) => {
			readText(answer).then((text) => fail(errorOf(answer.statusCode ?? 0, text)), fail);
		});
		sent.end(request.body);
	});
}

function startRequest(
	origin: URL,
	request: TransportRequest,
	headers: SentHeaders,
	connection: { readonly agent: HttpAgent } | { readonly createConnection: () => Socket },
	signal: AbortSignal,
): ClientRequest {
	const { method, path, body } = request;
	const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
	return httpRequest({
		...connection,
		host: origin.hostname,
		method,
		path,
		headers: { host: origin.host, ...length, ...headers },
		signal,
	});
}

function failureOf(origin: URL, cause: unknown, signal: AbortSignal): unknown {
	if (signal.aborted) return signal.reason;
	if (cause instanceof AppError) return cause;
	return new AppError('Unavailable', `The connection to ${origin.host} broke: ${messageOf(cause)}`, { cause });
}

async function* bodyOf(answer: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
	try {
		for await (const chunk of answer) yield chunk as Buffer;
	} catch (cause) {
		signal.throwIfAborted();
		throw new AppError('Unavailable', `The answer broke off: ${messageOf(cause)}`, { cause });
	}
}
