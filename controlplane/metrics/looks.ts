/**
 * Two looks at each kubelet somebody asks about. Nobody is asked while nobody asks: the look that an answer needs is taken for it, and the one
 * before it gives the window's beginning.
 *
 *   no look, or one too old --look, wait FIRST_MS, look--> two looks --asked after FRESH_MS: look--> the later becomes the earlier
 *      '--a look fails--> nothing is known, and nobody waits for that kubelet again --asked after FRESH_MS--> as at first
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

interface Kept {
	/** Undefined: the kubelet could not be asked. */
	readonly looks: Looks | undefined;
	/** On the monotonic clock. */
	readonly at: number;
}

export class NodeLooks {
	readonly #deps: Deps;
	readonly #kept = new Map<string, Kept>();
	readonly #looking = new Map<string, Promise<Looks | undefined>>();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Undefined where the kubelet cannot be asked. */
	async of(node: Node, signal: AbortSignal): Promise<Looks | undefined> {
		const name = node.metadata.name ?? '';
		const kept = this.#kept.get(name);
		if (kept !== undefined && this.#ageMs(kept) < FRESH_MS) return kept.looks;
		let looking = this.#looking.get(name);
		if (looking === undefined) {
			looking = this.#look(name, node, kept).finally(() => this.#looking.delete(name));
			this.#looking.set(name, looking);
		}
		return abortable(looking, signal);
	}

	async #look(name: string, node: Node, kept: Kept | undefined): Promise<Looks | undefined> {
		const { clock, log, signal } = this.#deps;
		this.#forgetOld();
		const before = kept === undefined || this.#ageMs(kept) > OLD_MS ? undefined : kept.looks;
		const looks = await this.#twoLooks(node, before).catch((error: unknown) => {
			if (!signal.aborted) log.warn('cannot read the metrics of a node', { node: name, reason: messageOf(error) });
			return undefined;
		});
		this.#kept.set(name, { looks, at: clock.monotonic() });
		return looks;
	}

	async #twoLooks(node: Node, before: Looks | undefined): Promise<Looks> {
		const { look, clock, signal } = this.#deps;
		let earlier = before?.later;
		if (earlier === undefined) {
			earlier = await look(node, signal);
			await clock.sleep(FIRST_MS, signal);
		}
		return { earlier, later: await look(node, signal) };
	}

	#ageMs({ at }: Kept): number {
		return this.#deps.clock.monotonic() - at;
	}

	#forgetOld(): void {
		for (const [name, kept] of this.#kept) if (this.#ageMs(kept) > OLD_MS) this.#kept.delete(name);
	}
}
