/**
 * Two looks at each kubelet somebody asks about. Nobody is asked while nobody asks: the look that an answer needs is taken for it, and the one
 * before it gives the window's beginning.
 *
 *   no look, or one too old --look, wait FIRST_MS, look--> two looks --asked after FRESH_MS: look--> the later becomes the earlier
 */
import type { Node } from '../../api/gen/types.ts';
import { abortable } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Points } from './points.ts';
import type { Looks } from './usage.ts';

interface Deps {
	/** Asks a node's kubelet. */
	readonly look: (node: Node, signal: AbortSignal) => Promise<Points>;
	readonly clock: Clock;
	readonly log: Log;
	/** Looks end with it; they are shared by all who ask at the same time. */
	readonly signal: AbortSignal;
}

/** Kept as an answer for this long: autoscalers ask every 15 s, and get a look of their own. */
const FRESH_MS = 10_000;
/** A window longer than that tells of what nobody asked about. */
const OLD_MS = 120_000;
/** The first window. */
const FIRST_MS = 1000;

export class NodeLooks {
	readonly #deps: Deps;
	readonly #kept = new Map<string, Looks>();
	readonly #looking = new Map<string, Promise<Looks | undefined>>();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Undefined where the kubelet cannot be asked. */
	async of(node: Node, signal: AbortSignal): Promise<Looks | undefined> {
		const name = node.metadata.name ?? '';
		const kept = this.#kept.get(name);
		if (kept !== undefined && this.#ageMs(kept) < FRESH_MS) return kept;
		let looking = this.#looking.get(name);
		if (looking === undefined) {
			looking = this.#look(name, node, kept).finally(() => this.#looking.delete(name));
			this.#looking.set(name, looking);
		}
		return abortable(looking, signal);
	}

	async #look(name: string, node: Node, kept: Looks | undefined): Promise<Looks | undefined> {
		const { look, clock, log, signal } = this.#deps;
		this.#forgetOld();
		try {
			let earlier = kept === undefined || this.#ageMs(kept) > OLD_MS ? undefined : kept.later;
			if (earlier === undefined) {
				earlier = await look(node, signal);
				await clock.sleep(FIRST_MS, signal);
			}
			const looks = { earlier, later: await look(node, signal) };
			this.#kept.set(name, looks);
			return looks;
		} catch (error) {
			if (!signal.aborted) log.warn('cannot read the metrics of a node', { node: name, reason: messageOf(error) });
			return undefined;
		}
	}

	#ageMs({ later }: Looks): number {
		return this.#deps.clock.now() - later.at;
	}

	#forgetOld(): void {
		for (const [name, kept] of this.#kept) if (this.#ageMs(kept) > OLD_MS) this.#kept.delete(name);
	}
}
