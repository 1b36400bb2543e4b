/** Writes a state soon after it changes, once for all changes that come together. */

export class Saver {
	readonly #write: () => Promise<void>;
	#dirty = false;
	#writing: Promise<void> | undefined;

	/** @param write of what the state is then; must not reject */
	constructor(write: () => Promise<void>) {
		this.#write = write;
	}

	changed(): void {
		this.#dirty = true;
		this.#writing ??= this.#run().finally(() => (this.#writing = undefined));
	}

	/** Resolves once what has changed until now is written. */
	async saved(): Promise<void> {
		await this.#writing;
	}

	async #run(): Promise<void> {
		while (this.#dirty) {
			await new Promise((resolve) => setImmediate(resolve));
			this.#dirty = false;
			await this.#write();
		}
	}
}
