/** Which keys end when: buckets of time, so that arming and dropping a key cost the same at any number. */

const BUCKET_MS = 10_000;

export class Expiry {
	readonly #buckets = new Map<number, Set<string>>();
	readonly #dueAt = new Map<string, number>();

	/** Arms, moves or (undefined) disarms the end of a key. */
	set(key: string, expiresAt: number | undefined): void {
		const old = this.#dueAt.get(key);
		if (old !== undefined) {
			const bucket = this.#buckets.get(Math.floor(old / BUCKET_MS));
			bucket?.delete(key);
			if (bucket?.size === 0) this.#buckets.delete(Math.floor(old / BUCKET_MS));
			this.#dueAt.delete(key);
		}
		if (expiresAt === undefined) return;
		this.#dueAt.set(key, expiresAt);
		const at = Math.floor(expiresAt / BUCKET_MS);
		const bucket = this.#buckets.get(at);
		if (bucket === undefined) this.#buckets.set(at, new Set([key]));
		else bucket.add(key);
	}

	/** Keys whose time has come, at most `limit`. */
	due(now: number, limit: number): string[] {
		const keys: string[] = [];
		for (const [at, bucket] of this.#buckets) {
			if (at * BUCKET_MS > now) continue;
			for (const key of bucket) {
				if ((this.#dueAt.get(key) as number) > now) continue;
				keys.push(key);
				if (keys.length >= limit) return keys;
			}
		}
		return keys;
	}
}
