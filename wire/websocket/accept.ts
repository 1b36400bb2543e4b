/** Accepting WebSockets with one of several subprotocols, slashes in their names included (which `ws` refuses to parse). */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { AppError } from '../../base/errors.ts';

/** The subprotocols a client offers, in its order. */
export function offeredProtocols(request: IncomingMessage): readonly string[] {
	return (request.headers['sec-websocket-protocol'] ?? '')
		.split(',')
		.map((p) => p.trim())
		.filter(Boolean);
}

/** Does the handshake and answers with `protocol`; the socket is paused until its user listens. AppError InvalidArgument after a bad one was answered. */
export async function acceptWebSocket(request: IncomingMessage, socket: Duplex, head: Uint8Array, protocol: string): Promise<WebSocket> {
	const { WebSocketServer } = await import('ws');
	// Taken off the request and answered by hand: see above.
	delete request.headers['sec-websocket-protocol'];
	const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 });
	server.on('headers', (headers) => {
		if (protocol !== '') headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
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
		server.handleUpgrade(request, socket, Buffer.from(head), (accepted) => {
			accepted.pause();
			resolve(accepted);
		});
	});
}
