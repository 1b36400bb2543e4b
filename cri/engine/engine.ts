/** The Docker Engine API as the shim uses it: dockerode's transport, imported on first use, behind three calls and one error vocabulary. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { linked } from '../../base/abort.ts';
import { type Clock, realClock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { engineError } from './errors.ts';
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
	/** How long the engine may take to begin its answer, where that is not the engine's usual bound; Infinity for none. */
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

/** What dockerode's modem takes and gives; its own types leave most of it out. */
interface Modem {
	version?: string | undefined;
	dial(options: object, done: (error: unknown, answer: unknown) => void): void;
}

/** A path with a part that is empty, "." or "..". */
const EMPTY_OR_DOTTED = /\/\.{0,2}(\/|$)/;

const SUCCESS: Readonly<Record<number, true>> = { 101: true, 200: true, 201: true, 202: true, 204: true, 304: true };

/** Connects to the engine at a unix socket path or tcp:// address and agrees on an API version. */
export async function connectEngine(
	host: string,
	signal?: AbortSignal,
	bounds: EngineBounds = { clock: realClock, timeoutMs: ENGINE_TIMEOUT_MS },
): Promise<Engine> {
	const { default: Docker } = await import('dockerode');
	const docker = new Docker(dockerOptions(host));
	const modem = docker.modem as Modem;
	const version = await dial<{ ApiVersion?: string; MinAPIVersion?: string; Version?: string }>(
		modem,
		{ method: 'GET', path: '/version', signal },
		{},
		bounds,
	);
	const apiVersion = negotiate(version.ApiVersion ?? '', version.MinAPIVersion ?? '');
	modem.version = `v${apiVersion}`;
	return {
		apiVersion,
		engineVersion: version.Version ?? '',
		timeoutMs: bounds.timeoutMs,
		call: async <T>(request: EngineRequest): Promise<T> => dial<T>(modem, request, {}, bounds),
		stream: async (request) => dial<IncomingMessage>(modem, request, { isStream: true }, bounds),
		hijack: async (request) => dial<Duplex>(modem, request, { isStream: true, hijack: true, openStdin: true, allowEmpty: true }, bounds),
	};
}

function dockerOptions(host: string): object {
	if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length) };
	if (host.startsWith('/')) return { socketPath: host };
	const url = new URL(host.replace(/^tcp:/, 'http:'));
	return { host: url.hostname, port: Number(url.port || 2375), protocol: url.protocol.replace(':', '') };
}

async function dial<T>(
	modem: Modem,
	request: EngineRequest,
	how: { isStream?: boolean; hijack?: boolean; openStdin?: boolean; allowEmpty?: boolean },
	{ clock, timeoutMs: usualMs }: EngineBounds,
): Promise<T> {
	const { method, path, query = {}, body, archive, auth, signal, timeoutMs = usualMs } = request;
	// The engine answers these with a redirect, which the transport cannot follow over a socket: it would throw where nobody catches.
	if (EMPTY_OR_DOTTED.test(path)) throw new AppError('InvalidArgument', `"${path}" is no path of the engine's`);
	const given = Object.entries(query).flatMap(([k, v]): [string, string][] => (v === undefined ? [] : [[k, String(v)]]));
	const encoded = new URLSearchParams(given).toString();
	signal?.throwIfAborted();
	const bound = linked(...(signal === undefined ? [] : [signal]));
	const giveUp = (): void =>
		bound.abort(new AppError('DeadlineExceeded', `Docker Engine did not answer ${method} ${path} within ${timeoutMs} ms`));
	using _timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : clock.after(timeoutMs, giveUp);
	let open = false;
	try {
		const answer = await new Promise<unknown>((resolve, reject) => {
			modem.dial(
				{
					path: encoded === '' ? path : `${path}?${encoded}`,
					method,
					// The modem appends `_query` to any path with a question mark: an empty one keeps ours as it is.
					options: { _query: {}, ...(body === undefined ? { _body: {} } : { _body: body }) },
					...(archive === undefined ? {} : { file: archive }),
					...(auth === undefined ? {} : { authconfig: auth }),
					abortSignal: bound.signal,
					...how,
					statusCodes: SUCCESS,
				},
				(error, result) => {
					if (error === null || error === undefined) resolve(result);
					else reject(failureOf(error, bound.signal, signal, `${method} ${path}`));
				},
			);
			// A body that breaks off is told to nobody by the transport.
			bound.signal.addEventListener('abort', () => reject(failureOf(undefined, bound.signal, signal, `${method} ${path}`)), { once: true });
		});
		if (how.isStream === true && how.hijack !== true) {
			open = true;
			(answer as IncomingMessage).once('close', () => bound[Symbol.dispose]());
		}
		return (Buffer.isBuffer(answer) ? undefined : answer) as T;
	} finally {
		if (!open) bound[Symbol.dispose]();
	}
}

/** `bound` ends the call: because the caller's own signal does, or by itself when the engine is late. */
function failureOf(error: unknown, bound: AbortSignal, callers: AbortSignal | undefined, what: string): AppError {
	if (!bound.aborted) return engineError(error, what);
	if (callers === undefined || bound.reason !== callers.reason) return bound.reason as AppError;
	return new AppError('Canceled', 'The call was given up', { cause: bound.reason });
}
