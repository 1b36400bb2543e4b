/** The Docker Engine API as the shim uses it: three calls in the version that both know, each within a bound, and one error vocabulary. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, realClock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { ask, type Exchange, hijack, open, type Sent, type Where, whereIs } from './transport.ts';
import { negotiate } from './version.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface EngineRequest {
	readonly method: Method;
	/** The path without version, as "/containers/json". */
	readonly path: string;
	readonly query?: Query | undefined;
	readonly body?: object | undefined;
	/** A tar archive to send instead of JSON. */
	readonly archive?: Buffer | undefined;
	/** Credentials for the registry, sent as X-Registry-Auth. */
	readonly auth?: object | undefined;
	readonly signal?: AbortSignal | undefined;
	/** How long the engine may take, where that is not the engine's usual bound: for the whole answer of a `call`, until a stream or a raw connection begins; Infinity for none. */
	readonly timeoutMs?: number | undefined;
}

export interface EngineBounds {
	readonly clock: Clock;
	/** An engine that accepts a call and never answers must not hold up its caller for ever. */
	readonly timeoutMs: number;
}

/** A loaded machine may take long over a start; two minutes are a hang. */
export const ENGINE_TIMEOUT_MS = 120_000;

export interface Engine {
	readonly apiVersion: string;
	readonly engineVersion: string;
	/** The usual bound of a call. */
	readonly timeoutMs: number;
	/** The JSON answer; an empty answer is undefined. Not modified (304) is success. */
	call<T>(request: EngineRequest): Promise<T>;
	/** The answer's body as it comes; abort the signal to end it. */
	stream(request: EngineRequest): Promise<IncomingMessage>;
	/** A raw connection both ways (attach, exec). */
	hijack(request: EngineRequest): Promise<Duplex>;
}

/** A path with a part that is empty, "." or "..". */
const EMPTY_OR_DOTTED = /\/\.{0,2}(\/|$)/;

/** Connects to the engine at a unix socket path or tcp:// address and agrees on an API version. */
export async function connectEngine(
	host: string,
	signal?: AbortSignal,
	bounds: EngineBounds = { clock: realClock, timeoutMs: ENGINE_TIMEOUT_MS },
): Promise<Engine> {
	const where = await whereIs(host);
	const version = await json<{ ApiVersion?: string; MinAPIVersion?: string; Version?: string }>(
		where,
		'',
		{ method: 'GET', path: '/version', signal },
		bounds,
	);
	const apiVersion = negotiate(version.ApiVersion ?? '', version.MinAPIVersion ?? '');
	const prefix = `/v${apiVersion}`;
	return {
		apiVersion,
		engineVersion: version.Version ?? '',
		timeoutMs: bounds.timeoutMs,
		call: async <T>(request: EngineRequest): Promise<T> => json<T>(where, prefix, request, bounds),
		stream: async (request) => bounded(open(where, sentOf(prefix, request)), request, bounds, (answer) => answer),
		hijack: async (request) => bounded(hijack(where, sentOf(prefix, request)), request, bounds),
	};
}

async function json<T>(where: Where, prefix: string, request: EngineRequest, bounds: EngineBounds): Promise<T> {
	const text = await bounded(ask(where, sentOf(prefix, request)), request, bounds);
	return (text === undefined ? undefined : JSON.parse(text)) as T;
}

function sentOf(prefix: string, { method, path, query = {}, body, archive, auth, signal }: EngineRequest): Sent {
	// The engine answers these with a redirect, which nobody here would follow.
	if (EMPTY_OR_DOTTED.test(path)) throw new AppError('InvalidArgument', `"${path}" is no path of the engine's`);
	signal?.throwIfAborted();
	const given = Object.entries(query).flatMap(([k, v]): [string, string][] => (v === undefined ? [] : [[k, String(v)]]));
	const encoded = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
	const headers: Record<string, string> = {};
	if (auth !== undefined) headers['X-Registry-Auth'] = base64OfUrls(JSON.stringify(auth));
	if (archive !== undefined) headers['Content-Type'] = 'application/tar';
	else if (body !== undefined) headers['Content-Type'] = 'application/json';
	return {
		method,
		path: `${prefix}${path}${encoded}`,
		headers,
		body: archive ?? (body === undefined ? undefined : JSON.stringify(body)),
		what: `${method} ${path}`,
	};
}

/** As the engine reads it, with padding. */
function base64OfUrls(text: string): string {
	return Buffer.from(text).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

/** Cut where the caller gives up or the engine is late; `stillComing` picks out of the answer what the caller can end even later. */
async function bounded<T>(
	{ answer, cut }: Exchange<T>,
	{ method, path, signal, timeoutMs }: EngineRequest,
	bounds: EngineBounds,
	stillComing?: (answer: T) => IncomingMessage,
): Promise<T> {
	const boundMs = timeoutMs ?? bounds.timeoutMs;
	const giveUp = (): void => cut(new AppError('Canceled', 'The call was given up', { cause: signal?.reason }));
	const late = (): void => cut(new AppError('DeadlineExceeded', `Docker Engine did not answer ${method} ${path} within ${boundMs} ms`));
	using _timer = boundMs === Number.POSITIVE_INFINITY ? undefined : bounds.clock.after(boundMs, late);
	const letGo = (): void => signal?.removeEventListener('abort', giveUp);
	signal?.addEventListener('abort', giveUp, { once: true });
	let coming: IncomingMessage | undefined;
	try {
		const given = await answer;
		coming = stillComing?.(given);
		coming?.once('close', letGo);
		return given;
	} finally {
		if (coming === undefined) letGo();
	}
}
