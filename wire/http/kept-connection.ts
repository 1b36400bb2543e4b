/** Requests on connections that were kept open: the peer may close one just as the next request goes out. */
import type { ClientRequest } from 'node:http';

const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Whether the request failed before any answer because its peer had closed a kept connection, and does no harm when it is sent again.
 * The rule is that of Go's net/http. As a new connection is never a kept one, repeating ends.
 */
export function metClosing(sent: ClientRequest, error: Error): boolean {
	const { code = '' } = error as NodeJS.ErrnoException;
	return sent.reusedSocket && CLOSED.has(code) && REPEATABLE.has(sent.method);
}
