/** Which images this shim pulled. The engine is the user's own: every other image is reported as pinned, so that nobody collects it. */
import { readState, writeState } from '../../base/files.ts';

const VERSION = 1;

export class PulledImages {
	readonly #path: string;
	readonly #ids = new Set<string>();
	#saving: Promise<void> = Promise.resolve();

	constructor(path: string) {
		this.#path = path;
	}

	async load(): Promise<void> {
		const state = await readState<{ ids: string[] }>(this.#path, VERSION);
		for (const id of state?.ids ?? []) this.#ids.add(id);
	}

	has(id: string): boolean {
		return this.#ids.has(id);
	}

	async add(id: string): Promise<void> {
		if (this.#ids.has(id)) return;
		this.#ids.add(id);
		await this.#save();
	}

	async delete(id: string): Promise<void> {
		if (this.#ids.delete(id)) await this.#save();
	}

	#save(): Promise<void> {
		this.#saving = this.#saving.catch(() => {}).then(() => writeState(this.#path, VERSION, { ids: [...this.#ids] }));
		return this.#saving;
	}
}
