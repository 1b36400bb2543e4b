/** Keeps Node.js's HTTP/1.1 server from refusing the body of a request whose head came while the answer before was on its way. */
import type { TLSSocket } from 'node:tls';

/**
 * Of a connection that a server of `node:http` has just taken. Such a server reads past the stream, from the handle itself, and pauses reading and
 * its parser when a request comes before the last answer is written out. Over TLS the next record may be deciphered already then: it goes to the
 * paused parser, which takes it for a broken request (HPE_PAUSED), though the client has done nothing wrong. Many write head and body as one record
 * each. Whoever listens to the data of the stream has the server read from that, which keeps what comes meanwhile.
 */
export function readAsStream(socket: TLSSocket): void {
	const nobody = (): void => {};
	socket.on('data', nobody);
	socket.off('data', nobody);
}
