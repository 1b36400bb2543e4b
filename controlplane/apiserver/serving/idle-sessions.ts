/** Sessions of HTTP/2 over which nothing is asked end, as upstream's do. */
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '../../../base/clock.ts';

/** Upstream's IdleTimeout (pkg/server/secure_serving.go): so long a session without open streams stays, the first one included. */
export const IDLE_MS = 90_000;
/** So long its client may take to read that it is over, as by Go's server (goAwayTimeout). */
const GOING_MS = 1000;

/**
 * Tells the client to go (GOAWAY) once the session has been idle, and ends its connection. One timer at most, and none for each stream.
 * Answers how to tell it sooner: what is open then is served to its end.
 */
export function endIdle(session: ServerHttp2Session, socket: Socket, clock: Clock): () => void {
	let open = 0;
	let idleSince = clock.monotonic();
	let timer: Disposable | undefined;
	let isLeaving = false;
	const gone = (): void => {
		timer?.[Symbol.dispose]();
		timer = clock.after(GOING_MS, () => socket.destroy());
	};
	const ring = (): void => {
		timer = undefined;
		if (open > 0) return;
		const leftMs = idleSince + IDLE_MS - clock.monotonic();
		if (leftMs > 0) timer = clock.after(leftMs, ring);
		else {
			gone();
			session.close();
		}
	};
	const streamClosed = (): void => {
		if (--open > 0 || socket.destroyed) return;
		if (isLeaving) return gone();
		idleSince = clock.monotonic();
		timer ??= clock.after(IDLE_MS, ring);
	};
	timer = clock.after(IDLE_MS, ring);
	session.on('stream', (stream: ServerHttp2Stream) => {
		open++;
		stream.on('close', streamClosed);
	});
	socket.once('close', () => {
		timer?.[Symbol.dispose]();
		timer = undefined;
	});
	return () => {
		if (isLeaving || session.destroyed) return;
		isLeaving = true;
		session.close();
		if (open === 0) gone();
	};
}
