/** HTTP to the engine over its socket: one request, its answer whole or as it comes, or the connection itself. Connections are kept for a few seconds. */
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { refused, unreachable } from './errors.ts';

/** Where the engine listens: a unix socket, or a host and port, with or without TLS. */
export interface Where {
	readonly options: Pick<RequestOptions, 'socketPath' | 'host' | 'port'>;
	readonly request: (options: RequestOptions) => ClientRequest;
}

/** Of a unix socket's path, bare or as unix://, and of tcp://, http:// and https:// addresses. */
export async function whereIs(host: string): Promise<Where> {
	const { request } = http;
	if (host.startsWith('unix://')) return { options: { socketPath: host.slice('unix://'.length) }, request };
	if (host.startsWith('/')) return { options: { socketPath: host }, request };
	const { hostname, port, protocol } = new URL(host.replace(/^tcp:/, 'http:'));
	const options = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || ENGINE_PORT) };
	return { options, request: protocol === 'https:' ? (await import('node:https')).request : request };
}

/** What Docker's own client takes where an address names none. */
const ENGINE_PORT = 2375;

export interface Sent {
	readonly method: string;
	/** With version and query. */
	readonly path: string;
	readonly headers: Readonly<Record<string, string | number>>;
	readonly body: string | Buffer | undefined;
	/** The request in the words of its failure. */
	readonly what: string;
}

/** A request under way. `cut` ends it, and what of the answer is still to come; later than that it does nothing. */
export interface Exchange<T> {
	readonly answer: Promise<T>;
	cut(reason: Error): void;
}

/** The JSON text of the answer; undefined where there is none. */
export function ask(where: Where, sent: Sent): Exchange<string | undefined> {
	return exchange<string | undefined>(where, sent, (request, resolve, reject) => {
		request.once('response', (response) => {
			text(response).then(
				(body) =>
					isSuccess(response) ? resolve(isJson(response, body) ? body : undefined) : reject(refused(response.statusCode ?? 0, body)),
				(error: unknown) => reject(unreachable(error, sent.what)),
			);
		});
		request.end(sent.body);
	});
}

/** The answer once its head is there. */
export function open(where: Where, sent: Sent): Exchange<IncomingMessage> {
	return exchange<IncomingMessage>(where, sent, (request, resolve, reject) => {
		request.once('response', (response) => {
			if (isSuccess(response)) resolve(response);
			else refusal(response, sent.what).then(reject, reject);
		});
		request.end(sent.body);
	});
}

/** The connection, once the engine has made it a raw one. */
export function hijack(where: Where, sent: Sent): Exchange<Duplex> {
	const raw = { ...sent, headers: { ...sent.headers, Connection: 'Upgrade', Upgrade: 'tcp' } };
	return exchange<Duplex>(where, raw, (request, resolve, reject) => {
		request.once('upgrade', (_response, socket, head) => {
			if (head.length > 0) socket.unshift(head);
			resolve(socket);
		});
		request.once('response', (response) => {
			if (isSuccess(response)) request.destroy(new Error(`it answered ${response.statusCode} and kept the connection to itself`));
			else refusal(response, sent.what).then(reject, reject);
		});
		request.end(sent.body);
	});
}

function exchange<T>(
	where: Where,
	{ method, path, headers, body, what }: Sent,
	begin: (request: ClientRequest, resolve: (answer: T) => void, reject: (error: Error) => void) => void,
): Exchange<T> {
	const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
	const request = where.request({ ...where.options, method, path, headers: { ...headers, ...length } });
	const { promise, resolve, reject } = Promise.withResolvers<T>();
	request.on('error', (error) => reject(unreachable(error, what)));
	begin(request, resolve, reject);
	return {
		answer: promise,
		cut: (reason) => {
			reject(reason);
			request.destroy(reason);
		},
	};
}

/** Not modified is success, too: it is so already. */
function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
	return (statusCode >= 200 && statusCode < 300) || statusCode === 304;
}

function isJson({ headers }: IncomingMessage, body: string): boolean {
	return body !== '' && headers['content-type']?.startsWith('application/json') === true;
}

async function refusal(response: IncomingMessage, what: string): Promise<Error> {
	return refused(response.statusCode ?? 0, await text(response).catch((error: unknown) => Promise.reject(unreachable(error, what))));
}

function text(response: IncomingMessage): Promise<string> {
	return new Promise((resolve, reject) => {
		let whole = '';
		response.setEncoding('utf8');
		response.on('data', (piece: string) => (whole += piece));
		response.once('end', () => resolve(whole));
		response.once('error', reject);
	});
}
