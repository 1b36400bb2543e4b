/** Compiled policies, kept as long as the policy does not change. */
import type { KubeObject } from '../../../../api/resource.ts';
import { Lru } from '../../../../base/lru.ts';

const MAX_COMPILED = 500;

export class CompiledPolicies<P extends KubeObject, C> {
	readonly #compile: (policy: P) => C;
	readonly #known = new Lru<string, C>(MAX_COMPILED);

	constructor(compile: (policy: P) => C) {
		this.#compile = compile;
	}

	of(policy: P): C {
		const key = `${policy.metadata.uid}/${policy.metadata.generation}`;
		let compiled = this.#known.get(key);
		if (compiled === undefined) {
			compiled = this.#compile(policy);
			this.#known.set(key, compiled);
		}
		return compiled;
	}
}
