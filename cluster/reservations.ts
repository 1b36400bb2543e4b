/**
 * What clusters of one machine choose for themselves (ports, pod networks) is reserved among them from the choice on: looking whether it is
 * free and using it are two moments, and two clusters that start at once would find the same free. A reservation is a lock file of its name
 * in a folder of the host, so that it ends with the process that holds it, however that ends.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { takeLock } from './lock.ts';

const FOLDER = '/run/kubeling/reserved';

/** Names that one cluster has reserved; disposing gives them back. */
export class Reservations implements AsyncDisposable {
	readonly #clock: Clock;
	readonly #folder: string;
	readonly #held = new Map<string, AsyncDisposable>();

	constructor(clock: Clock, folder: string = FOLDER) {
		this.#clock = clock;
		this.#folder = folder;
	}

	/** False when another cluster has it. */
	async reserve(name: string): Promise<boolean> {
		if (this.#held.has(name)) return true;
		await mkdir(this.#folder, { recursive: true, mode: 0o700 });
		const taken = await takeLock(join(this.#folder, name.replaceAll('/', '_')), this.#clock);
		if ('pid' in taken) return false;
		this.#held.set(name, taken);
		return true;
	}

	async release(name: string): Promise<void> {
		await this.#held.get(name)?.[Symbol.asyncDispose]();
		this.#held.delete(name);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.#held.keys()].map((name) => this.release(name)));
	}
}
