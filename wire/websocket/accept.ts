/** Accepting WebSockets with one of several subprotocols, slashes in their names included (which `ws` refuses to parse). */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** The subprotocols a client offers, in its order. */
export function offeredProtocols(request: IncomingMessage): readonly string[] {
	return (request.headers['sec-websocket-protocol'] ?? '')
		.split(',')
		.map((p) => p.trim())
		.filter(Boolean);
}

/** Does the handshake and answers with `protocol`. */
export async function acceptWebSocket(request: IncomingMessage, socket: Duplex, head: Uint8Array, protocol: string): Promise<WebSocket> {
	const { WebSocketServer } = await import('ws');
	// Taken off the request and answered by hand: see above.
	delete request.headers['sec-websocket-protocol'];
	const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 * 1024 });
	server.on('headers', (headers) => {
		if (protocol !== '') headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
	});
	return new Promise((resolve) => server.handleUpgrade(request, socket, Buffer.from(head), resolve));
}
