/** Writes a state soon after it changes, once for all changes that come together. What failed is written with the next change, or when somebody waits. */

export class Saver {
	readonly #write: () => Promise<void>;
	readonly #failed: (error: unknown) => void;
	#dirty = false;
	#writing: Promise<void> | undefined;

	/**
	 * @param write of what the state is then
	 * @param failed told of each write that failed
	 */
	constructor(write: () => Promise<void>, failed: (error: unknown) => void) {
		this.#write = write;
		this.#failed = failed;
	}

	changed(): void {
		this.#dirty = true;
		this.#begin();
	}

	/** Resolves once what has changed until now is written; throws what keeps it from being. */
	async saved(): Promise<void> {
		if (this.#dirty) this.#begin();
		await this.#writing;
	}

	#begin(): void {
		if (this.#writing !== undefined) return;
		this.#writing = this.#run();
		this.#writing.catch(this.#failed);
	}

	async #run(): Promise<void> {
		try {
			while (this.#dirty) {
				await new Promise((resolve) => setImmediate(resolve));
				this.#dirty = false;
				await this.#written();
			}
		} finally {
			this.#writing = undefined;
		}
	}

	/** A failure is the last word only where nothing has changed meanwhile: else the next write says whether that can be kept. */
	async #written(): Promise<void> {
		try {
			await this.#write();
		} catch (error) {
			const goesOn = this.#dirty;
			this.#dirty = true;
			if (!goesOn) throw error;
			this.#failed(error);
		}
	}
}
