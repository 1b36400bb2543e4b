/**
 * Tables of streams for HTTP/2 sessions, in place of those that Node.js 24 makes: a Map and a Set that every stream joins and leaves. V8 makes a new table
 * for those every few streams, and what one has outgrown knows the next. As soon as one of them has got into the old generation, all that follow are moved
 * there, each with the streams that it held, whole requests among them, until everything is looked through; and that does the same to those open then.
 */
import type { Http2Session } from 'node:http2';
import { types } from 'node:util';

/** Where these are known to be what Node.js asks of its own: get, set, delete, size and forEach of the Map, add, delete, size and forEach of the Set. */
const KNOWN = process.versions.node.startsWith('24.');

interface State {
	streams: unknown;
	pendingStreams: unknown;
}

/** For a session on which no stream was opened yet. Those of other versions of Node.js are left as they are. */
export function ownTables(session: Http2Session): void {
	const symbol = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'state');
	if (!KNOWN || symbol === undefined) return;
	const state = (session as unknown as Record<symbol, Partial<State> | undefined>)[symbol];
	if (!types.isMap(state?.streams) || !types.isSet(state.pendingStreams)) return;
	if (state.streams.size + state.pendingStreams.size > 0) return;
	Object.assign(state, { streams: new Streams(), pendingStreams: new PendingStreams() } satisfies State);
}

/** By their numbers, which are an object's elements: those that V8 has outgrown know no others. */
class Streams {
	size = 0;
	readonly #streams: Record<number, unknown> = {};

	get(id: number): unknown {
		return this.#streams[id];
	}

	set(id: number, stream: unknown): this {
		if (this.#streams[id] === undefined) this.size++;
		this.#streams[id] = stream;
		return this;
	}

	delete(id: number): boolean {
		if (this.#streams[id] === undefined) return false;
		this.size--;
		return delete this.#streams[id];
	}

	forEach(fn: (stream: unknown) => void): void {
		for (const stream of Object.values(this.#streams)) fn(stream);
	}
}

/** Those without a number yet: a server's for a moment, a client's until it is connected and the peer takes more. */
class PendingStreams {
	readonly #streams: unknown[] = [];

	get size(): number {
		return this.#streams.length;
	}

	add(stream: unknown): this {
		this.#streams.push(stream);
		return this;
	}

	delete(stream: unknown): boolean {
		const at = this.#streams.indexOf(stream);
		if (at >= 0) this.#streams.splice(at, 1);
		return at >= 0;
	}

	forEach(fn: (stream: unknown) => void): void {
		for (const stream of [...this.#streams]) fn(stream);
	}
}
