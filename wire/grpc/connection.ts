/**
 * A client's connection: made for the first call, and again for the first one after it was lost. Calls that come meanwhile wait for it; they all fail where it
 * cannot be made. It keeps no process alive but during calls.
 */
import { connect as connectHttp2 } from 'node:http2';
import type { Clock } from '../../base/clock.ts';
import { closing, dial, targetOf, type ClientTls, type Target } from './dial.ts';
import { CONNECTION_WINDOW_BYTES, SESSION_OPTIONS } from './http2.ts';
import { Session, type Keepalive } from './session.ts';

export interface Peer {
	/** "unix:///run/x.sock", "/run/x.sock", or "host:port". */
	readonly address: string;
	/** For TCP. */
	readonly tls?: ClientTls;
	/** None unless told. */
	readonly keepalive?: Keepalive;
	readonly clock: Clock;
}

export class Connection {
	readonly #target: Target;
	readonly #peer: Peer;
	#session: Session | undefined;
	#dialling: Promise<Session> | undefined;
	readonly #closed = new AbortController();

	constructor(peer: Peer) {
		this.#target = targetOf(peer.address);
		this.#peer = peer;
	}

	/** Of calls' `:authority`: strict servers refuse a path as one. */
	get authority(): string {
		return this.#target.kind === 'unix' ? 'localhost' : this.#target.address;
	}

	get scheme(): 'http' | 'https' {
		return this.#peer.tls === undefined ? 'http' : 'https';
	}

	/** At once where there is a connection. @throws NotConnected */
	session(): Session | Promise<Session> {
		if (this.#session?.isUsable) return this.#session;
		if (this.#closed.signal.aborted) return Promise.reject(closing());
		return (this.#dialling ??= this.#dial().finally(() => (this.#dialling = undefined)));
	}

	/** Calls under way go on. */
	close(): void {
		this.#closed.abort();
		this.#session?.close();
	}

	async #dial(): Promise<Session> {
		const { tls, clock, keepalive } = this.#peer;
		const socket = await dial(this.#target, tls, clock, this.#closed.signal);
		const http2 = connectHttp2(`http://${this.authority}`, {
			...SESSION_OPTIONS,
			createConnection: () => socket,
			peerMaxConcurrentStreams: 2 ** 32 - 1, // until it says how many
		});
		http2.once('connect', () => http2.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
		const session = new Session(http2, socket, clock, keepalive);
		if (this.#closed.signal.aborted) session.close();
		return (this.#session = session);
	}
}
