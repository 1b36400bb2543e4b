/** The API over TLS: HTTP/2 on Node's stream API, HTTP/1.1 beside it on the same port, and upgrades of the latter. */
import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from 'node:http';
import { performServerHandshake, constants, type ServerHttp2Session, type ServerHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../../base/clock.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { TurnLimit } from '../../../base/turn-limit.ts';
import { MAX_HEADER_BYTES } from '../../../wire/http/header-limit.ts';
import { readAsStream } from '../../../wire/http/read-as-stream.ts';
import type { AuthenticatorChain } from '../authn/chain.ts';
import type { Closing } from '../closing.ts';
import type { ApiRequest, ApiResponse, Maybe, UserInfo } from '../contracts.ts';
import { Http1Request, Http2Request, type HttpRequest } from './http-requests.ts';
import { headFault, refuse, Unreadable, type Refusal } from './http1-refusals.ts';
import { giveUp, sendHttp1, sendHttp2, sendRefusal } from './http-answers.ts';
import { endIdle, IDLE_MS } from './idle-sessions.ts';
import { targetOf } from './request-target.ts';
import type { Answer } from '../request/exchange.ts';
import type { Pipeline } from '../request/pipeline.ts';
import { TlsListener, type ListenerOptions } from './tls-listener.ts';

export interface ServerOptions extends ListenerOptions {
	readonly host?: string;
	/** 0: any free one. */
	readonly port: number;
}

export interface RunningServer {
	readonly port: number;
	/** Takes no new connections, and tells those that are open to go elsewhere; they are served on. */
	retire(): void;
	close(): Promise<void>;
}

/** Upstream takes a hundred; Go's clients open another connection then, others wait behind their own watches. */
const MAX_STREAMS = 1000;
/** Of a connection. At Node.js's own bound of 10 MB new streams are refused while many large bodies come at once, which upstream takes. */
const SESSION_MEMORY_MB = 1024;
/** Upstream's ReadHeaderTimeout: so long a client may take to say what it wants over HTTP/1.1. */
const HEADERS_MS = 32_000;
/** So long clients may take to read what was written before the end. */
const FAREWELL_MS = 1000;

interface ServerDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly closing: Closing;
	/** Of each request over HTTP/2: its connection takes no more of them, and ends with those it has. None unless told. */
	readonly goAwayChance?: number | undefined;
	/** Of a connection of HTTP/2, at once; a thousand unless told, and for 0. */
	readonly maxStreams?: number | undefined;
}

export async function serveTls(
	options: ServerOptions,
	pipeline: Pipeline,
	chain: AuthenticatorChain,
	{ clock, log, closing, goAwayChance = 0, maxStreams = 0 }: ServerDeps,
): Promise<RunningServer> {
	const leaves = (): boolean => goAwayChance > 0 && clock.random() < goAwayChance;
	const serve: Serve = (request) => {
		const late = closing.refusal(request);
		if (late !== undefined) return { ...refused(request, late, clock), isLate: true };
		return pipeline.serve(request, () => whoAsks(request, chain));
	};
	const turns = new TurnLimit(clock);
	const settings = { maxConcurrentStreams: maxStreams || MAX_STREAMS, initialWindowSize: 1 << 20 };
	const times = { keepAliveTimeout: IDLE_MS, headersTimeout: HEADERS_MS, connectionsCheckingInterval: 8000, requestTimeout: 0 };
	const http1 = createHttp1({
		...times,
		maxHeaderSize: MAX_HEADER_BYTES,
		requireHostHeader: false,
		shouldUpgradeCallback: mayUpgrade(pipeline),
	});
	// Their bytes are bounded.
	http1.maxHeadersCount = 0;
	const unreadable = new Unreadable();
	// It is handed its connections; Node.js keeps a list of them, of who is idle or slow, only where a server listens.
	http1.emit('listening');
	/** With what tells its client to go. */
	const sessions = new Map<ServerHttp2Session, () => void>();
	/** Of HTTP/1.1, but for those that were upgraded. */
	const plain = new Set<TLSSocket>();
	const handshakeErrors = pipeline.metrics.handshakeErrors;
	const streamFailed = (error: unknown): void => log.debug('HTTP/2 stream failed', { why: messageOf(error) });
	/** Else the client would wait for the rest of its answer for ever. */
	const broken = (out: Duplex | ServerResponse) => (error: unknown) => void out.destroy(error as Error);
	const problem = (what: string) => (error: unknown) => log.debug(what, { why: messageOf(error) });
	const left = ({ session }: ServerHttp2Stream): void => sessions.get(session as ServerHttp2Session)?.();
	const asked = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: readonly string[]): void => {
		stream.on('error', streamFailed);
		turns.run(() => {
			// Whoever has gone while waiting hears no answer.
			if (!stream.destroyed) serveHttp2(stream, headers, raw, serve, { leaves, left }).catch(broken(stream));
		});
	};
	const joined = (socket: TLSSocket): void => {
		const session = performServerHandshake(socket, { settings, maxSessionMemory: SESSION_MEMORY_MB });
		session.once('close', () => sessions.delete(session));
		session.on('error', problem('HTTP/2 session failed'));
		session.on('stream', asked);
		sessions.set(session, endIdle(session, socket, clock));
	};
	const connected = (socket: TLSSocket): void => {
		socket.on('error', problem('connection failed'));
		if (socket.alpnProtocol === 'h2') {
			joined(socket);
			return;
		}
		plain.add(socket);
		socket.once('close', () => plain.delete(socket));
		http1.emit('connection', socket);
		readAsStream(socket);
	};
	const failed = (error: Error): void => {
		handshakeErrors.inc();
		problem('TLS handshake failed')(error);
	};
	const unusable = (error: unknown): void => log.warn('cannot use the new serving certificate', { why: messageOf(error) });
	const listener = new TlsListener(options, { connected, failed, unusable }, clock);
	let isRetired = false;
	const requested =
		(isWaiting: boolean) =>
		(request: IncomingMessage, response: ServerResponse): void => {
			unreadable.serves(response);
			response.on('error', problem('answering failed'));
			const served = new Http1Request(request, { response, isWaiting });
			const fault = faultOf(request, served);
			if (fault !== undefined) return refuse(request.socket, fault);
			turns.run(() => {
				if (!response.destroyed) serveHttp1(served, response, serve, clock, () => isRetired).catch(broken(response));
			});
		};
	http1.on('request', requested(false));
	http1.on('checkContinue', requested(true));
	http1.on('checkExpectation', ({ socket }: IncomingMessage) => refuse(socket, ['417 Expectation Failed', '']));
	http1.on('clientError', unreadable.failed);
	const taken = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
		plain.delete(socket as TLSSocket);
		socket.on('error', problem('upgraded connection failed'));
		const served = new Http1Request(request, { upgraded: { socket, head } });
		const fault = faultOf(request, served);
		if (fault !== undefined) return refuse(socket, fault);
		serveUpgrade(served, socket, serve).catch(broken(socket));
	};
	http1.on('upgrade', taken);
	http1.on('connect', taken);
	const host = options.host ?? '0.0.0.0';
	try {
		await listener.listen(options.port, host);
	} catch (cause) {
		throw cannotListen(host, options.port, cause);
	}
	return {
		port: listener.port,
		retire() {
			isRetired = true;
			listener.retire();
			http1.closeIdleConnections();
			// GOAWAY: streams that are open are served to their end.
			for (const session of sessions.keys()) if (!session.destroyed) session.goaway();
		},
		async close() {
			await farewell([...sessions.keys()], [...plain], clock);
			await listener.close();
			http1.close();
		},
	};
}

/** What has been written is sent before connections end; those whose client does not take it are not waited for longer. */
async function farewell(sessions: readonly ServerHttp2Session[], sockets: readonly TLSSocket[], clock: Clock): Promise<void> {
	const open = [...sessions, ...sockets].filter(({ destroyed }) => !destroyed);
	if (open.length === 0) return;
	const late = new AbortController();
	const closed = Promise.all(open.map((one) => new Promise((resolve) => one.once('close', resolve))));
	for (const session of sessions) if (!session.destroyed) session.close();
	for (const socket of sockets) socket.end();
	const tooLate = clock.sleep(FAREWELL_MS, late.signal).catch(() => undefined);
	await Promise.race([closed, tooLate]);
	late.abort();
}

type Serve = (request: HttpRequest) => Maybe<Answer & { readonly isLate?: boolean }>;

/** Neither counted nor written down. */
function refused({ headers }: ApiRequest, response: ApiResponse, clock: Clock): Answer {
	return { response, auditId: headers['audit-id'] ?? clock.uuid(), flow: undefined, finished: undefined };
}

async function serveHttp2(
	stream: ServerHttp2Stream,
	headers: IncomingHttpHeaders,
	raw: readonly string[],
	serve: Serve,
	{ leaves, left }: { readonly leaves: () => boolean; readonly left: (stream: ServerHttp2Stream) => void },
): Promise<void> {
	const request = new Http2Request(stream, headers, raw);
	if (request.isBad) return stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
	const answer = await serve(request);
	// What `connection: close` is in HTTP/1.1.
	if (answer.isStranger === true) left(stream);
	else if (answer.isLate === true || leaves()) stream.session?.goaway();
	const isHead = headers[constants.HTTP2_HEADER_METHOD] === 'HEAD';
	return sent(answer, () => sendHttp2(stream, answer, request.warnings, isHead));
}

/** What can be sent no further is told to its source. */
async function sent({ response, finished }: Answer, send: () => Promise<void> | undefined): Promise<void> {
	try {
		const streaming = send();
		if (streaming !== undefined) await streaming;
	} catch (error) {
		await giveUp(response).catch(() => {}); // why it was given up says more
		throw error;
	} finally {
		finished?.();
	}
}

function whoAsks(request: HttpRequest, chain: AuthenticatorChain): Maybe<UserInfo> {
	const credentials = request.credentials();
	return chain.recall(credentials) ?? chain.authenticate(credentials, request.signal);
}

function faultOf(incoming: IncomingMessage, request: HttpRequest): Refusal | undefined {
	return headFault(incoming) ?? (request.isBad ? ['400 Bad Request'] : undefined);
}

/** Whom a connection may be handed to; of other requests Node.js would not read the bodies. */
function mayUpgrade(pipeline: Pipeline): (incoming: IncomingMessage) => boolean {
	return ({ method = 'GET', url = '/', headers }) => pipeline.mayUpgrade(method, targetOf(url), headers.upgrade ?? '');
}

async function serveHttp1(
	request: Http1Request,
	response: ServerResponse,
	serve: Serve,
	clock: Clock,
	isRetired: () => boolean,
): Promise<void> {
	const answer = await serve(request);
	if (answer.isLate === true || isRetired()) response.setHeader('connection', 'close');
	return sent(answer, () => sendHttp1(response, answer, request, clock));
}

async function serveUpgrade(request: Http1Request, socket: Duplex, serve: Serve): Promise<void> {
	const answer = await serve(request);
	const { response, finished } = answer;
	if (response.type === 'upgraded') {
		if (finished === undefined) return;
		if (socket.destroyed) finished();
		else socket.once('close', finished);
		return;
	}
	// Who took it and failed may have answered: a second answer would stand amid what the two say to each other.
	if (request.isTaken) socket.destroy();
	return sent(answer, () => sendRefusal(socket, response, answer));
}

function cannotListen(host: string, port: number, cause: unknown): AppError {
	const { code } = cause as NodeJS.ErrnoException;
	if (code === 'EADDRINUSE')
		return new AppError(
			'FailedPrecondition',
			`Port ${port} on ${host} is in use by another process. Stop that one, or choose another port.`,
			{ cause },
		);
	return new AppError('FailedPrecondition', `Cannot listen on ${host}:${port}: ${messageOf(cause)}`, { cause });
}
