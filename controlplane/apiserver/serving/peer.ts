/** Who is at the other end of a connection. */
import type { TLSSocket } from 'node:tls';
import { intermediatesOf } from './client-chain.ts';

/** What requests of one connection share, so that what is known of a certificate is known for the connection. */
export interface Peer {
	readonly certificate: Uint8Array | undefined;
	readonly intermediates: () => readonly Uint8Array[];
	readonly address: string;
	/** As it came last. */
	authorization: string | undefined;
}

export const NOBODY: Peer = { certificate: undefined, intermediates: () => [], address: '', authorization: undefined };

const peers = new WeakMap<object, Peer>();

/** @param socket of the connection: asked for once, since that of an HTTP/2 session is a proxy, slow and another one for each access */
export function peerOf(connection: object, socket: () => TLSSocket): Peer {
	return peers.get(connection) ?? peerAt(connection, socket());
}

function peerAt(connection: object, socket: TLSSocket): Peer {
	// Null where the connection has ended meanwhile.
	const { raw } = (socket.getPeerCertificate() as { raw?: Buffer } | null) ?? {};
	const intermediates = (): readonly Uint8Array[] => intermediatesOf(socket);
	const peer: Peer = { certificate: raw, intermediates, address: socket.remoteAddress ?? '', authorization: undefined };
	peers.set(connection, peer);
	return peer;
}
