/** Heads of HTTP/1.1 requests that are refused before anybody looks at what they ask for, in the words of Go's server (net/http). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The status, and the body where that says something else. */
export type Refusal = readonly [status: string, body?: string];

const BAD: Refusal = ['400 Bad Request'];
const UNKNOWN_ENCODING: Refusal = ['501 Not Implemented', 'Unsupported transfer encoding'];
/** What Node.js's parser finds, where it is more than a bad request; undefined: the connection ends without a word. */
const BY_CODE: Readonly<Record<string, Refusal | undefined>> = {
	HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large'],
	HPE_INVALID_TRANSFER_ENCODING: UNKNOWN_ENCODING,
	HPE_INVALID_EOF_STATE: undefined,
	ERR_HTTP_REQUEST_TIMEOUT: undefined,
	ECONNRESET: undefined,
};
const HOST = /^[\w!$%&'()*+,\-.:;=[\]~]*$/;

/** What is wrong with a head that Node.js's parser has taken. Pure. */
export function headFault({ httpVersionMajor, httpVersion, rawHeaders, headers }: IncomingMessage): Refusal | undefined {
	if (httpVersionMajor !== 1) return ['505 HTTP Version Not Supported: unsupported protocol version'];
	const { host, 'transfer-encoding': encoding } = headers;
	if (host === undefined) return httpVersion === '1.0' ? undefined : ['400 Bad Request: missing required Host header'];
	if (rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length > 1) return BAD;
	if (!HOST.test(host)) return ['400 Bad Request: malformed Host header'];
	if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return UNKNOWN_ENCODING;
	return undefined;
}

export function refuse(socket: Duplex, [status, body = status]: Refusal = BAD): void {
	if (!socket.writable) return void socket.destroy();
	socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${body}`, () => socket.destroy());
}

/** Connections whose next request cannot be read: what was asked before it is answered first. */
export class Unreadable {
	readonly #latest = new WeakMap<Duplex, ServerResponse>();

	/** A request was read whole, or has begun to be. */
	serves(response: ServerResponse): void {
		this.#latest.set(response.req.socket, response);
	}

	/** Node.js's `clientError`. */
	readonly failed = (error: Error, socket: Duplex): void => {
		const { code = '' } = error as NodeJS.ErrnoException;
		const refusal = code in BY_CODE ? BY_CODE[code] : BAD;
		const end = (): void => (refusal === undefined ? void socket.destroy() : refuse(socket, refusal));
		const response = this.#latest.get(socket);
		if (response === undefined || response.writableFinished || response.destroyed) return end();
		if (response.req.complete) response.once('close', end);
		else if (response.headersSent) socket.destroy();
		else end();
	};
}
