/** Locks by key that never wait: who comes while another is at work is told Aborted and tries again, as the CSI specification wants it. */
import { AppError } from '../base/errors.ts';

export class Locks {
	/** Number of sharers, or -1 for the one who has it alone. */
	readonly #held = new Map<string, number>();

	/** The key alone, until disposed. Throws Aborted where anybody has it. */
	take(key: string): Disposable {
		if (this.#held.has(key)) throw pending(key);
		this.#held.set(key, -1);
		return { [Symbol.dispose]: () => void this.#held.delete(key) };
	}

	/** The key together with other sharers, until disposed: several may copy from one source. Throws Aborted where somebody has it alone. */
	share(key: string): Disposable {
		const sharers = this.#held.get(key) ?? 0;
		if (sharers < 0) throw pending(key);
		this.#held.set(key, sharers + 1);
		return {
			[Symbol.dispose]: () => {
				const left = (this.#held.get(key) ?? 1) - 1;
				if (left > 0) this.#held.set(key, left);
				else this.#held.delete(key);
			},
		};
	}

	/** All of them alone, or none. */
	takeAll(keys: readonly string[]): Disposable {
		const stack = new DisposableStack();
		try {
			for (const key of new Set(keys)) stack.use(this.take(key));
		} catch (error) {
			stack.dispose();
			throw error;
		}
		return stack;
	}
}

function pending(key: string): AppError {
	return new AppError('Aborted', `Another operation on "${key}" is pending; try again`);
}
