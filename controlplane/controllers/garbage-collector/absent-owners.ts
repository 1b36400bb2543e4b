/**
 * Owners that are known to be gone, so that their dependents need no look-up each. As upstream's absentOwnerCache: one is gone as what a reference
 * says it is, since another reference to the same uid may be the right one.
 */
import type { OwnerReference } from '../../../api/gen/types.ts';

/** Upstream's size of it. */
const REMEMBERED = 500;

export class AbsentOwners {
	readonly #gone = new Set<string>();

	/** `namespace` of an owner that has one. */
	remember(ref: OwnerReference, namespace: string | undefined): void {
		const key = keyOf(ref, namespace);
		this.#gone.delete(key);
		if (this.#gone.size >= REMEMBERED) this.#gone.delete(this.#gone.values().next().value ?? '');
		this.#gone.add(key);
	}

	/** Whether what a reference means within the namespace is gone. */
	has(ref: OwnerReference, namespace: string | undefined): boolean {
		return this.#gone.has(keyOf(ref, undefined)) || this.#gone.has(keyOf(ref, namespace));
	}
}

function keyOf({ apiVersion, kind, name, uid }: OwnerReference, namespace = ''): string {
	return [apiVersion, kind, namespace, name, uid].join('\0');
}
