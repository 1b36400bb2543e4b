/** A byte stream inside the binary messages of a WebSocket: what SPDY frames travel in for port-forward. */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

export async function webSocketTunnel(socket: WebSocket): Promise<Duplex> {
	const { createWebSocketStream } = await import('ws');
	return createWebSocketStream(socket, { allowHalfOpen: false });
}
