/** How many connections shake hands at a time: those that come together are answered together, and what came back from all of them was one turn of the loop. */
import type { Socket } from 'node:net';
import type { Clock } from '../../../base/clock.ts';

/** Each takes half a millisecond, most of it when the client's last message has come: a session is made then, and its first requests are read. */
export const HANDSHAKES_UNDER_WAY = 4;
/** A client nearby is done after two or three milliseconds, unless it opens many. Who takes longer, or says nothing at all, holds up nobody from then on. */
export const HANDSHAKE_PATIENCE_MS = 20;
/** Of a line at its longest such a part is under way, so that nobody waits for more than so many times the patience, however many before never say anything. */
export const HANDSHAKES_SHARE = 32;

/** A connection's two ends: of the socket that shakes hands nothing else is that of the one below. */
type Peer = Pick<Socket, 'remoteAddress' | 'remotePort'>;

/** In the order they came; none is refused. */
export class Handshakes {
	readonly #clock: Clock;
	readonly #waiting: { readonly socket: Socket; readonly start: () => void }[] = [];
	/** By peer: what ends the patience with it. */
	readonly #underWay = new Map<string, Disposable>();
	/** So many may be under way until nobody waits any more. */
	#most = HANDSHAKES_UNDER_WAY;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Starts it now or later, once, unless the socket is destroyed first. It must not throw. */
	add(socket: Socket, start: () => void): void {
		this.#waiting.push({ socket, start });
		this.#most = Math.max(this.#most, Math.ceil(this.#waiting.length / HANDSHAKES_SHARE));
		this.#next();
	}

	/** Has shaken hands, or never will; may be told again. */
	ended(peer: Peer): void {
		this.#letGo(keyOf(peer));
	}

	#next(): void {
		while (this.#underWay.size < this.#most) {
			const next = this.#waiting.shift();
			if (next === undefined) break;
			if (!next.socket.destroyed) this.#start(next.socket, next.start);
		}
		if (this.#waiting.length === 0) this.#most = HANDSHAKES_UNDER_WAY;
	}

	#start(socket: Socket, start: () => void): void {
		const key = keyOf(socket);
		const letGo = (): void => this.#letGo(key);
		this.#underWay.get(key)?.[Symbol.dispose]();
		this.#underWay.set(key, this.#clock.after(HANDSHAKE_PATIENCE_MS, letGo));
		socket.once('close', letGo);
		start();
	}

	#letGo(key: string): void {
		const patience = this.#underWay.get(key);
		if (patience === undefined) return;
		patience[Symbol.dispose]();
		this.#underWay.delete(key);
		this.#next();
	}
}

function keyOf({ remoteAddress, remotePort }: Peer): string {
	return `${remoteAddress} ${remotePort}`;
}
