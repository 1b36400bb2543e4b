/** A list whose items are made for the one answer: parsed, looked at and encoded in turns of the loop, a piece while the client takes the one before. */
import type { Turns } from '../../../base/turns.ts';
import type { ListForm } from './list-form.ts';
import { PushedBody, type Outlet } from './pushed-body.ts';

export interface MadeListOptions {
	readonly count: number;
	/** The bytes of an item, behind what parts it from the one before. */
	readonly item: (index: number) => Uint8Array;
	readonly around: ListForm['around'];
	readonly saysLength: boolean;
	readonly pieceBytes: number;
	readonly turns: Turns;
	/** Of the request. */
	readonly signal: AbortSignal;
}

export class MadeList extends PushedBody {
	readonly #options: MadeListOptions;
	/** Pieces that are made and not yet written. */
	#ready: Uint8Array[] = [];
	/** Of the next piece. */
	#items: Uint8Array[] = [];
	#bytes = 0;
	/** Of all items so far. */
	#itemBytes = 0;
	/** Items before this one are made. */
	#next = 0;
	#begun: PromiseWithResolvers<Uint8Array | undefined> | undefined;
	#outlet: Outlet | undefined;
	#state: 'making' | 'made' | 'closed' = 'making';
	#planned = false;
	#full = false;
	#sentBytes = 0;

	constructor(options: MadeListOptions) {
		super();
		this.#options = options;
		if (!options.saysLength) this.#take(options.around(0).first);
	}

	/** Makes as much of it as a piece is long: all of it where that is all. Before it starts. */
	begin(): Promise<Uint8Array | undefined> {
		this.#begun = Promise.withResolvers();
		this.#plan();
		return this.#begun.promise;
	}

	start(outlet: Outlet): void {
		this.#outlet = outlet;
		this.#push();
	}

	resume(): void {
		this.#full = false;
		this.#push();
	}

	close(): void {
		this.#state = 'closed';
		this.#outlet = undefined;
		this.#ready = this.#items = [];
	}

	override get sentBytes(): number {
		return this.#sentBytes;
	}

	#plan(): void {
		if (this.#planned) return;
		this.#planned = true;
		this.#options.turns.add(this.#turn, this.#outlet?.connection);
	}

	readonly #turn = (): void => {
		this.#planned = false;
		if (this.#state !== 'making') return;
		const { count, turns, signal } = this.#options;
		try {
			signal.throwIfAborted();
			do this.#make();
			while (this.#next < count && !turns.over && (this.#outlet === undefined || this.#ready.length === 0));
			if (this.#next === count) this.#finish();
		} catch (error) {
			this.#end(error);
			return;
		}
		this.#tell();
		this.#push();
	};

	#make(): void {
		const bytes = this.#options.item(this.#next++);
		this.#itemBytes += bytes.length;
		this.#take(bytes);
		if (this.#bytes >= this.#options.pieceBytes) this.#cut();
	}

	#take(bytes: Uint8Array): void {
		this.#items.push(bytes);
		this.#bytes += bytes.length;
	}

	#cut(): void {
		this.#ready.push(Buffer.concat(this.#items, this.#bytes));
		this.#items = [];
		this.#bytes = 0;
	}

	#finish(): void {
		const { around, saysLength } = this.#options;
		const { first, last } = around(this.#itemBytes);
		this.#take(last);
		this.#cut();
		if (saysLength) this.#ready.unshift(first);
		this.#state = 'made';
	}

	/** Whoever waits for its beginning hears of it once it is clear whether that is all. */
	#tell(): void {
		if (this.#begun === undefined) return;
		const { saysLength, pieceBytes } = this.#options;
		const isWhole = this.#state === 'made' && this.#ready.reduce((sum, { length }) => sum + length, 0) <= pieceBytes;
		if (isWhole) this.#begun.resolve(Buffer.concat(this.#ready));
		else if (this.#state === 'made' || (!saysLength && this.#ready.length > 0)) this.#begun.resolve(undefined);
		else return this.#plan();
		this.#begun = undefined;
	}

	#push(): void {
		const outlet = this.#outlet;
		if (outlet === undefined) return;
		while (this.#ready.length > 0 && !this.#full && this.#outlet === outlet) {
			const piece = this.#ready.shift() as Uint8Array;
			this.#sentBytes += piece.length;
			this.#full = !outlet.write(piece);
		}
		if (this.#outlet !== outlet || this.#full) return;
		if (this.#state === 'made') this.#end();
		else this.#plan();
	}

	#end(error?: unknown): void {
		const outlet = this.#outlet;
		const begun = this.#begun;
		this.#begun = undefined;
		this.close();
		if (begun !== undefined) begun.reject(error as Error);
		outlet?.end(error);
	}
}
