/** A byte stream inside the binary messages of a WebSocket: what SPDY frames travel in for port-forward. */
import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

const NORMAL_CLOSURE = 1000;

/**
 * Messages of text end it.
 * @param below the WebSocket's own connection, where it ends with our word and not with the client's (upstream's servers)
 */
export function webSocketTunnel(socket: WebSocket, below?: Duplex): Duplex {
	const tunnel = new Duplex({
		allowHalfOpen: false,
		read: () => socket.resume(),
		write(chunk: Buffer, _encoding, done) {
			socket.send(chunk, { binary: true }, done);
		},
		final(done) {
			if (socket.readyState === socket.CLOSED) return done();
			socket.close(NORMAL_CLOSURE);
			if (below === undefined) socket.once('close', () => done());
			else below.end(() => done());
		},
		destroy(error, done) {
			socket.terminate();
			done(error);
		},
	});
	socket.on('error', () => {});
	socket.on('message', (data: Buffer, isBinary: boolean) => {
		if (!isBinary) tunnel.end();
		else if (!tunnel.destroyed && !tunnel.push(data)) socket.pause();
	});
	socket.once('close', () => {
		if (!tunnel.destroyed) tunnel.push(null);
	});
	return tunnel;
}
