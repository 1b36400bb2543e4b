/** What each container has of a resource that is given piece by piece, by pod and container. */

export class Assignments<T> {
	readonly #pods = new Map<string, Map<string, T>>();

	get(uid: string, container: string): T | undefined {
		return this.#pods.get(uid)?.get(container);
	}

	set(uid: string, container: string, value: T): void {
		const containers = this.#pods.get(uid) ?? new Map<string, T>();
		containers.set(container, value);
		this.#pods.set(uid, containers);
	}

	/** True when it had something. */
	delete(uid: string): boolean {
		return this.#pods.delete(uid);
	}

	of(uid: string): ReadonlyMap<string, T> {
		return this.#pods.get(uid) ?? new Map<string, T>();
	}

	holders(): readonly string[] {
		return [...this.#pods.keys()];
	}

	all(): readonly T[] {
		return [...this.#pods.values()].flatMap((containers) => [...containers.values()]);
	}

	toJSON(): Readonly<Record<string, Readonly<Record<string, T>>>> {
		return Object.fromEntries([...this.#pods].map(([uid, containers]) => [uid, Object.fromEntries(containers)]));
	}

	static from<J, T>(json: Readonly<Record<string, Readonly<Record<string, J>>>>, parse: (value: J) => T): Assignments<T> {
		const result = new Assignments<T>();
		for (const [uid, containers] of Object.entries(json))
			for (const [name, value] of Object.entries(containers)) result.set(uid, name, parse(value));
		return result;
	}
}
