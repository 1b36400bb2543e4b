/** A body as gzip, made while the client takes it and off the loop's thread. At the level that costs least, as upstream's. */
import { pipeline } from 'node:stream';
import { createGzip, type Gzip } from 'node:zlib';
import { PushedBody, type Outlet } from './pushed-body.ts';

/** Upstream's defaultGzipContentEncodingLevel. */
const LEVEL = 1;

export class GzipBody extends PushedBody {
	readonly #source: Uint8Array | AsyncIterable<Uint8Array>;
	#gzip: Gzip | undefined;
	#sentBytes = 0;
	#closed = false;

	constructor(source: Uint8Array | AsyncIterable<Uint8Array>) {
		super();
		this.#source = source;
	}

	start(outlet: Outlet): void {
		const gzip = (this.#gzip = createGzip({ level: LEVEL }));
		gzip.on('data', (piece: Buffer) => {
			this.#sentBytes += piece.length;
			if (!outlet.write(piece)) gzip.pause();
		});
		const source = this.#source;
		gzip.on('end', () => outlet.end());
		pipeline(source instanceof Uint8Array ? [source] : source, gzip, (error) => {
			if (error !== undefined && error !== null && !this.#closed) outlet.end(error);
		});
	}

	resume(): void {
		this.#gzip?.resume();
	}

	close(): void {
		this.#closed = true;
		this.#gzip?.destroy();
		if (this.#source instanceof PushedBody) this.#source.close();
	}

	/** As gzip. */
	override get sentBytes(): number {
		return this.#sentBytes;
	}
}
