/** A body that its source pushes by plain calls to where it goes; whoever wants to wait for its pieces reads it as any other stream. */

/** Where the bytes go. */
export interface Outlet {
	/** Once it says that there is room again, it has nothing more of what was written: the memory is the body's again. */
	readonly returns?: true;
	/**
	 * False: enough for now; the body is told to `resume` once there is room.
	 * @param sizes how long each message in it is, where a body of messages writes several at once; undefined: it is one
	 */
	write(bytes: Uint8Array, sizes?: readonly number[]): boolean;
	/** Nothing follows. With an error, what was sent is not all. */
	end(error?: unknown): void;
}

/** Who gets one starts it, or closes it. */
export abstract class PushedBody implements AsyncIterable<Uint8Array> {
	/** Once. */
	abstract start(outlet: Outlet): void;
	abstract resume(): void;
	/** Nobody takes it any more; may be called again, and after the end. */
	abstract close(): void;

	[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
		return new Reader(this);
	}
}

/** Known in whole. */
export class WholeBody extends PushedBody {
	readonly #bytes: Uint8Array;

	constructor(bytes: Uint8Array) {
		super();
		this.#bytes = bytes;
	}

	start(outlet: Outlet): void {
		outlet.write(this.#bytes);
		outlet.end();
	}
	resume(): void {}
	close(): void {}
}

/** Takes what comes while nobody reads, but says at once that it is enough. */
class Reader implements AsyncIterator<Uint8Array>, Outlet {
	readonly #body: PushedBody;
	#started = false;
	readonly #pieces: Uint8Array[] = [];
	#ended: { readonly error: unknown } | undefined;
	#waiting: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;

	constructor(body: PushedBody) {
		this.#body = body;
	}

	write(bytes: Uint8Array): boolean {
		if (this.#waiting === undefined) {
			this.#pieces.push(bytes);
			return false;
		}
		const { resolve } = this.#waiting;
		this.#waiting = undefined;
		// What goes over the network in this turn is sent before who reads in this process begins to think about it.
		setImmediate(() => resolve({ done: false, value: bytes }));
		return true;
	}

	end(error?: unknown): void {
		this.#ended = { error };
		if (error === undefined) this.#waiting?.resolve({ done: true, value: undefined });
		else this.#waiting?.reject(error as Error);
		this.#waiting = undefined;
	}

	next(): Promise<IteratorResult<Uint8Array>> {
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

	return(): Promise<IteratorResult<Uint8Array>> {
		this.#body.close();
		this.end();
		return Promise.resolve({ done: true, value: undefined });
	}
}
