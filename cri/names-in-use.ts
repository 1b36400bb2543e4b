/** Engine names that a creation or a removal is at work with: two of them at once would take away what the other made. */
import { AppError } from '../base/errors.ts';

export class NamesInUse {
	readonly #names = new Set<string>();

	/** Until it is disposed nobody else gets the name. Throws Aborted where somebody has it: a caller that gave up may be followed too soon. */
	take(name: string): Disposable {
		if (this.#names.has(name)) throw new AppError('Aborted', `"${name}" is being made or removed by an earlier call`);
		this.#names.add(name);
		return { [Symbol.dispose]: () => void this.#names.delete(name) };
	}
}
