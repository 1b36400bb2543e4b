/**
 * A body that its source pushes by plain calls to where it goes; whoever wants to wait for its pieces reads it as any other stream. Its pieces are
 * bytes, or what is given to others of this process.
 */

/** Where the pieces go. */
export interface Outlet<P = Uint8Array> {
	/** Once it says that there is room again, it has nothing more of what was written: the memory is the body's again. */
	readonly returns?: true;
	/** What is written to several of one connection in a turn of the loop leaves in one piece. */
	readonly connection?: object;
	/**
	 * False: enough for now; the body is told to `resume` once there is room.
	 * @param sizes how long each message in it is, where a body of messages writes several at once; undefined: it is one
	 */
	write(piece: P, sizes?: readonly number[]): boolean;
	/** Nothing follows. With an error, what was sent is not all. */
	end(error?: unknown): void;
}

/** Who gets one starts it, or closes it. */
export abstract class PushedBody<P = Uint8Array> implements AsyncIterable<P> {
	/** Once. */
	abstract start(outlet: Outlet<P>): void;
	abstract resume(): void;
	/** Nobody takes it any more; may be called again, and after the end. */
	abstract close(): void;
	/** Of what was written; undefined where nobody counts. */
	get sentBytes(): number | undefined {
		return undefined;
	}

	[Symbol.asyncIterator](): AsyncIterator<P> {
		return new Reader(this);
	}
}

/** Known in whole; undefined: it is empty. */
export class WholeBody<P> extends PushedBody<P> {
	readonly #piece: P | undefined;

	constructor(piece: P | undefined) {
		super();
		this.#piece = piece;
	}

	start(outlet: Outlet<P>): void {
		if (this.#piece !== undefined) outlet.write(this.#piece);
		outlet.end();
	}
	resume(): void {}
	close(): void {}
}

/** Takes what comes while nobody reads, but says at once that it is enough. */
class Reader<P> implements AsyncIterator<P>, Outlet<P> {
	readonly #body: PushedBody<P>;
	#started = false;
	readonly #pieces: P[] = [];
	#ended: { readonly error: unknown } | undefined;
	#waiting: PromiseWithResolvers<IteratorResult<P>> | undefined;

	constructor(body: PushedBody<P>) {
		this.#body = body;
	}

	write(piece: P): boolean {
		if (this.#waiting === undefined) {
			this.#pieces.push(piece);
			return false;
		}
		const { resolve } = this.#waiting;
		this.#waiting = undefined;
		// What goes over the network in this turn is sent before who reads in this process begins to think about it.
		setImmediate(() => resolve({ done: false, value: piece }));
		return true;
	}

	end(error?: unknown): void {
		this.#ended = { error };
		if (error === undefined) this.#waiting?.resolve({ done: true, value: undefined });
		else this.#waiting?.reject(error as Error);
		this.#waiting = undefined;
	}

	next(): Promise<IteratorResult<P>> {
		const value = this.#pieces.shift();
		if (value !== undefined) return Promise.resolve({ done: false, value });
		if (this.#ended !== undefined)
			return this.#ended.error === undefined
				? Promise.resolve({ done: true, value: undefined })
				: Promise.reject(this.#ended.error as Error);
		this.#waiting = Promise.withResolvers();
		const { promise } = this.#waiting;
		if (this.#started) this.#body.resume();
		else {
			this.#started = true;
			this.#body.start(this);
		}
		return promise;
	}

	return(): Promise<IteratorResult<P>> {
		this.#body.close();
		this.end();
		return Promise.resolve({ done: true, value: undefined });
	}
}
