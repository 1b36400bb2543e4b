/** Whether the mutating plugins of a write run a second time, and which webhooks and policies are asked again then (upstream admission/reinvocation). */
import type { KubeObject } from '../../../api/resource.ts';
import type { Reinvocation as Contract, ReinvocationRounds as Rounds } from '../contracts.ts';

export class Reinvocation implements Contract {
	/** Most writes meet none that asks. */
	#plugins: Map<string, Rounds> | undefined;
	/** True in the second round. */
	isSecond = false;
	wantsSecond = false;

	#of(plugin: string): Rounds {
		const plugins = (this.#plugins ??= new Map());
		let rounds = plugins.get(plugin);
		if (rounds === undefined) {
			rounds = { asked: new Set(), again: new Set(), left: undefined };
			plugins.set(plugin, rounds);
		}
		return rounds;
	}

	/** A plugin begins: in the second round, a change by others makes it ask all again that allow it. */
	begin(plugin: string, object: KubeObject | undefined): Rounds {
		const rounds = this.#of(plugin);
		if (this.isSecond && rounds.left !== JSON.stringify(object)) askAgain(rounds);
		return rounds;
	}

	/** One of its webhooks or policies changed the object: those before it look again. */
	changed(plugin: string): void {
		askAgain(this.#of(plugin));
		this.wantsSecond = true;
	}
}

function askAgain({ asked, again }: Rounds): void {
	for (const id of asked) again.add(id);
	asked.clear();
}

/** Puts the new contents into an object that others hold. */
export function replaceContents(object: KubeObject, by: KubeObject): void {
	const target = object as unknown as Record<string, unknown>;
	for (const key of Object.keys(target)) delete target[key];
	Object.assign(target, by);
}
