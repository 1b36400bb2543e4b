/** Answers of the pipeline on HTTP/2 streams and HTTP/1.1 connections; streams wait for `drain`. */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import { sensitiveHeaders, type OutgoingHttpHeaders, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { Readable, type Duplex, type Writable } from 'node:stream';
import type { Clock } from '../../../base/clock.ts';
import { toHeader } from '../../../wire/http/header-text.ts';
import type { ApiResponse } from '../contracts.ts';
import { PushedBody } from '../answer/pushed-body.ts';
import type { Answer } from '../request/exchange.ts';
import { shortened } from './warnings.ts';

type Sendable = Exclude<ApiResponse, { readonly type: 'upgraded' }>;

const SCHEMA_UID = 'x-kubernetes-pf-flowschema-uid';
const LEVEL_UID = 'x-kubernetes-pf-prioritylevel-uid';
const COOKIE = 'set-cookie';
/** Said of all answers that say nothing else of it. */
const NOT_KEPT = 'no-cache, private';
const NO_CONTENT = 204;
const TOO_LARGE = 413;
/** Go's maxPostHandlerReadBytes (net/http): so much of what nobody wanted is read, so that its connection goes on. */
const READ_ON_BYTES = 256 << 10;
/** Go's rstAvoidanceDelay. */
const LINGER_MS = 500;

function phraseOf(status: number): string {
	return status === TOO_LARGE ? 'Request Entity Too Large' : (STATUS_CODES[status] ?? '');
}

function headersOf(answer: Sendable, { auditId, flow }: Answer, warnings: readonly string[]): OutgoingHttpHeaders {
	const all: Record<string, string | number | string[]> = { 'cache-control': NOT_KEPT, ...answer.headers, 'audit-id': auditId };
	const cookies = cookiesOf(answer);
	if (cookies.length > 0) all[COOKIE] = [...cookies];
	if (flow !== undefined) {
		all[SCHEMA_UID] = flow.schemaUid;
		all[LEVEL_UID] = flow.levelUid;
	}
	if (warnings.length > 0) all['warning'] = shortened(warnings).map(warningHeader);
	return all;
}

function cookiesOf(answer: Sendable): readonly string[] {
	return (answer.type === 'stream' ? answer.cookies : undefined) ?? [];
}

/** RFC 7234's warn-text is a quoted string. */
function warningHeader(text: string): string {
	const quoted = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
	return toHeader(`299 - "${quoted}"`);
}

/** Plain answers are sent at once; a promise means that a stream is on its way. */
export function sendHttp2(
	stream: ServerHttp2Stream,
	served: Answer,
	warnings: readonly string[],
	head: boolean,
): Promise<void> | undefined {
	const answer = served.response;
	if (answer.type === 'upgraded' || stream.destroyed || stream.closed) return giveUp(answer);
	const headers = rawHeaders(answer, served, warnings);
	let streaming: Promise<void> | undefined;
	if (answer.type === 'bytes') {
		if (answer.status !== NO_CONTENT) headers.push('content-length', String(answer.body.length));
		if (head || answer.body.length === 0) stream.respond(headers, { endStream: true });
		else {
			stream.respond(headers);
			stream.end(answer.body);
		}
	} else {
		stream.respond(headers);
		streaming = pump(stream, answer.body, stream.session);
	}
	// A body that nobody read (an error answered early) must not hold the stream.
	if (!stream.endAfterHeaders && !stream.readableEnded) stream.resume();
	return streaming;
}

/** No second answer has this value: in the table of a connection's compressor (RFC 7541) it would displace those that come again. */
const NEVER_INDEXED = { [sensitiveHeaders]: ['audit-id'] };

/** Names and values in turn: Node.js takes these faster than an object, which it copies into a dictionary. */
function rawHeaders(answer: Sendable, { auditId, flow }: Answer, warnings: readonly string[]): string[] {
	const { status, headers } = answer;
	const all = Object.assign([':status', String(status)], NEVER_INDEXED);
	if (headers['cache-control'] === undefined) all.push('cache-control', NOT_KEPT);
	for (const name in headers) all.push(name, headers[name] as string);
	for (const cookie of cookiesOf(answer)) all.push(COOKIE, cookie);
	all.push('audit-id', auditId);
	if (flow !== undefined) all.push(SCHEMA_UID, flow.schemaUid, LEVEL_UID, flow.levelUid);
	if (warnings.length > 0) for (const text of shortened(warnings)) all.push('warning', warningHeader(text));
	return all;
}

interface Asked {
	readonly warnings: readonly string[];
	/** The client has sent no body, and never learns that nobody wants it. */
	readonly isWaiting: boolean;
	/** Nobody reads what is left of its body. */
	readonly isStopped?: boolean;
}

export async function sendHttp1(
	response: ServerResponse,
	served: Answer,
	{ warnings, isWaiting, isStopped = false }: Asked,
	clock: Clock,
): Promise<void> {
	const answer = served.response;
	if (answer.type === 'upgraded' || response.destroyed) return giveUp(answer);
	const headers = headersOf(answer, served, warnings);
	// What is left of a body would be read as the next request.
	const isCut = isWaiting || isStopped || !(await readToEnd(response.req));
	if (isCut || answer.status === TOO_LARGE) headers['connection'] = 'close';
	// Node.js says of each that it is kept, which goes without saying since HTTP/1.1; a server that stops has said that it is not.
	else if (response.shouldKeepAlive && response.req.httpVersion === '1.1' && !response.hasHeader('connection'))
		response.removeHeader('connection');
	if (response.destroyed) return giveUp(answer);
	if (answer.type === 'bytes') {
		if (answer.status !== NO_CONTENT) headers['content-length'] = answer.body.length;
		response.writeHead(answer.status, phraseOf(answer.status), headers);
		if (isCut && !isWaiting) {
			response.write(answer.body);
			await lingered(response.req, clock);
			response.end();
		} else response.end(answer.body);
		return;
	}
	response.writeHead(answer.status, phraseOf(answer.status), headers);
	response.flushHeaders();
	await pump(response, answer.body);
}

/** The client still writes: where its connection ended at once it would see that alone, and never the answer. */
function lingered(request: IncomingMessage, clock: Clock): Promise<void> {
	if (request.complete || request.destroyed) return Promise.resolve();
	return new Promise((resolve) => {
		const timer = clock.after(LINGER_MS, resolve);
		const end = (): void => {
			timer[Symbol.dispose]();
			resolve();
		};
		request.once('end', end).once('close', end).resume();
	});
}

/**
 * Whether nothing of the request is left in its connection: what nobody has read is read now, within bounds. A body that came with its headers is
 * read, and may be answered, before Node.js has looked whether it ends there.
 */
function readToEnd(request: IncomingMessage): Promise<boolean> | boolean {
	if (request.complete) return true;
	if (request.destroyed || Number(request.headers['content-length'] ?? 0) >= READ_ON_BYTES) return false;
	return new Promise((resolve) => {
		let size = 0;
		request.on('data', (chunk: Uint8Array) => {
			size += chunk.length;
			if (size >= READ_ON_BYTES) resolve(false);
		});
		request.on('end', () => resolve(true));
		request.on('close', () => resolve(false));
	});
}

/** @param session of HTTP/2: once its streams drain, they have nothing more of what was written */
function pump(out: Writable, body: AsyncIterable<Uint8Array>, session?: Http2Session): Promise<void> {
	return body instanceof PushedBody ? push(out, body, session) : pull(out, body);
}

/** Without a promise for each piece: there may be a thousand such streams. */
function push(out: Writable, body: PushedBody, session: Http2Session | undefined): Promise<void> {
	return new Promise((resolve) => {
		out.on('drain', () => body.resume());
		out.once('close', () => {
			body.close();
			resolve();
		});
		body.start({
			...(session === undefined ? {} : { returns: true }),
			connection: session ?? out,
			write: (bytes) => out.write(bytes),
			end: (error) => void (error === undefined ? out.end() : out.destroy(error as Error)),
		});
	});
}

async function pull(out: Writable, body: AsyncIterable<Uint8Array>): Promise<void> {
	let wake: (() => void) | undefined;
	const goOn = (): void => wake?.();
	out.on('drain', goOn);
	out.once('close', () => {
		goOn();
		// What it waits for may never come.
		if (body instanceof Readable) body.destroy();
	});
	for await (const piece of body) {
		if (out.destroyed) return;
		if (!out.write(piece) && !out.destroyed) await new Promise<void>((resolve) => (wake = resolve));
		if (out.destroyed) return;
	}
	out.end();
}

/** Nobody listens any more, or nothing can be sent: a stream's source must still be told. */
export async function giveUp(answer: ApiResponse): Promise<void> {
	if (answer.type !== 'stream') return;
	const { body } = answer;
	if (body instanceof PushedBody) body.close();
	// Its iterator says nothing to a stream that it has not begun to read.
	else if (body instanceof Readable) body.destroy();
	else await body[Symbol.asyncIterator]().return?.();
}

/** An upgrade that was refused, or that nobody took: a plain answer on the bare socket, which ends with it. */
export async function sendRefusal(socket: Duplex, answer: Sendable, served: Answer): Promise<void> {
	if (socket.destroyed) return giveUp(answer);
	const length = answer.type === 'bytes' ? { 'content-length': answer.body.length } : {};
	const headers = { ...headersOf(answer, served, []), ...length, connection: 'close' };
	const lines = Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${String(value)}\r\n`));
	socket.write(`HTTP/1.1 ${answer.status} ${phraseOf(answer.status)}\r\n${lines.join('')}\r\n`, 'latin1');
	if (answer.type === 'bytes') socket.end(answer.body);
	else {
		// Its end is the connection's, whichever side ends it: what the client still says is nobody's.
		socket.once('end', () => socket.end());
		socket.resume();
		await pump(socket, answer.body);
	}
}
