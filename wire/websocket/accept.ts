/** Accepting WebSockets with one of several subprotocols, slashes in their names included (which `ws` refuses to parse). */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { AppError } from '../../base/errors.ts';

/** The subprotocols a client offers, in its order. */
export function offeredProtocols(request: Pick<Handshake, 'headers'>): readonly string[] {
	return (request.headers['sec-websocket-protocol'] ?? '')
		.split(',')
		.map((p) => p.trim())
		.filter(Boolean);
}

/** What of a request makes a handshake. */
export type Handshake = Pick<IncomingMessage, 'method' | 'headers'>;

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * Does the handshake and answers with `protocol` ('' for none); the socket is paused until its user listens. A message longer than
 * `maxPayload` ends the connection. AppError InvalidArgument after a bad handshake was answered, or when the client has left.
 */
export async function acceptWebSocket(
	{ method, headers }: Handshake,
	socket: Duplex,
	head: Uint8Array,
	protocol: string,
	maxPayload = MAX_MESSAGE_BYTES,
): Promise<WebSocket> {
	const { WebSocketServer } = await import('ws');
	// Answered by hand: see above.
	const { 'sec-websocket-protocol': _, ...others } = headers;
	const request = { method, headers: others } as IncomingMessage;
	const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload });
	server.on('headers', (lines) => {
		if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
	});
	return new Promise((resolve, reject) => {
		const broken = (error?: Error): void =>
			reject(new AppError('InvalidArgument', `The WebSocket handshake failed: ${error?.message ?? 'the client left'}`, { cause: error }));
		server.once('wsClientError', (error, client) => {
			client.end(
				`HTTP/1.1 400 Bad Request\r\nContent-Length: ${Buffer.byteLength(error.message)}\r\nConnection: close\r\n\r\n${error.message}`,
			);
			broken(error);
		});
		socket.once('close', () => broken());
		if (socket.destroyed) return broken();
		server.handleUpgrade(request, socket, Buffer.from(head), (accepted) => {
			accepted.pause();
			resolve(accepted);
		});
	});
}
