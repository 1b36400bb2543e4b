/**
 * Watches on the groups of a volume's pods, for groups that come below them: version 1 limits each container's for itself. A watch ends with its first news,
 * so that whoever asks whether all are watched learns of news that nobody has looked at yet.
 */
import type { IoGroups } from '../../host/io-groups.ts';

export class GroupWatches {
	/** By volume and group. */
	readonly #watched = new Map<string, Map<string, Disposable>>();
	#isOver = false;

	/**
	 * Watches these groups of the volume, and no others of it any more. True where all of them were watched before: then what was listed since the watches
	 * began is all there is, until `changed` is called.
	 */
	keep(id: string, list: readonly string[], groups: IoGroups, changed: () => void): boolean {
		if (this.#isOver) return false;
		const before = this.#watched.get(id) ?? new Map<string, Disposable>();
		this.#watched.set(id, before);
		for (const [group, watch] of before)
			if (!list.includes(group)) {
				watch[Symbol.dispose]();
				before.delete(group);
			}
		const missing = list.filter((group) => !before.has(group));
		for (const group of missing) {
			const watch = groups.watch(group, () => {
				before.get(group)?.[Symbol.dispose]();
				before.delete(group);
				changed();
			});
			if (watch !== undefined) before.set(group, watch);
		}
		return missing.length === 0;
	}

	drop(id: string): void {
		for (const watch of this.#watched.get(id)?.values() ?? []) watch[Symbol.dispose]();
		this.#watched.delete(id);
	}

	/** For good. */
	close(): void {
		this.#isOver = true;
		for (const id of this.#watched.keys()) this.drop(id);
	}
}
