/**
 * What rest, watch and informers stand on: HTTP semantics without saying how they travel. HTTP/2 in `client/http2.ts`,
 * in-process in `controlplane/apiserver/in-process.ts` (the same identity, authorization, admission and audit; only HTTP is skipped).
 */
import type { Duplex } from 'node:stream';
import type { SentEvent } from './watch-event.ts';

export interface TransportRequest {
	readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	/** Path and query, as sent: "/api/v1/pods?limit=5". */
	readonly path: string;
	/** Lower-case names. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: Uint8Array | string;
	/** A watch that takes `events` in place of a body, where it is answered in this process. */
	readonly takesEvents?: boolean;
}

export interface TransportResponse {
	readonly status: number;
	/** Lower-case names; a repeated header is joined as Node does, `warning` excepted: see `warnings`. */
	readonly headers: Readonly<Record<string, string>>;
	/** Texts of `Warning: 299` headers. */
	readonly warnings: readonly string[];
	/** The body as it arrives. A caller that stops early ends the request. */
	readonly body: AsyncIterable<Uint8Array>;
	/** In place of the body, where the request takes them: their objects are frozen, and others have them too. Stopping early ends the request. */
	readonly events?: AsyncIterable<readonly SentEvent[]>;
}

export interface Transport {
	/** Rejects only when no answer came (AppError Unavailable, or the signal's reason); every HTTP status is an answer. */
	request(request: TransportRequest, signal: AbortSignal): Promise<TransportResponse>;
	/** An HTTP/1.1 upgrade (SPDY/3.1 or WebSocket); rejects with the server's answer as a StatusError when refused. */
	upgrade(
		request: TransportRequest,
		signal: AbortSignal,
	): Promise<{ readonly socket: Duplex; readonly head: Uint8Array; readonly headers: Readonly<Record<string, string>> }>;
	close(): Promise<void>;
	/** Told how long a request waited for its turn, where that is measured. */
	readonly waited?: (method: string, ms: number) => void;
}
