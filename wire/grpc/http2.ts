/** What clients and servers have in common of HTTP/2. */
import type { IncomingHttpHeaders, SessionOptions } from 'node:http2';

/** Of one stream: long lists come in one go, where HTTP/2's 64 KiB would have them wait for the reader four times a quarter of a megabyte. */
const STREAM_WINDOW_BYTES = 1024 ** 2;
/** Of all streams of a connection. */
export const CONNECTION_WINDOW_BYTES = 4 * STREAM_WINDOW_BYTES;

export const SESSION_OPTIONS: SessionOptions = {
	settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
	maxSessionMemory: 1024, // MiB; of a message of the largest size on many streams
	strictFieldWhitespaceValidation: false, // Go's peers put spaces around a status' words, and HTTP/2 would have the call end without them
};

export function isGrpc(headers: IncomingHttpHeaders): boolean {
	return /^application\/grpc(?:$|[+;])/.test(headers['content-type'] ?? '');
}

const UNITS_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };
/** Digits of a timeout. */
const MOST = 1e8;

/** "grpc-timeout", rounded up. */
export function timeoutHeader(ms: number): string {
	const whole = Math.max(1, Math.ceil(ms));
	if (whole < MOST) return `${whole}m`;
	return whole / 1000 < MOST ? `${Math.ceil(whole / 1000)}S` : `${Math.min(MOST - 1, Math.ceil(whole / 3_600_000))}H`;
}

/** In ms; undefined where there is none, or it is none. */
export function readTimeout(header: unknown): number | undefined {
	const [, digits, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(typeof header === 'string' ? header : '') ?? [];
	return digits === undefined ? undefined : Number(digits) * (UNITS_MS[unit] ?? 0);
}
