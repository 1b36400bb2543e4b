/** Gives a pod's containers what is given piece by piece, from nodes near each other as the policy wants it; else the pod is turned away. */
import type { Pod } from '../../api/gen/types.ts';
import { keyOf } from '../../api/resource.ts';
import { messageOf } from '../../base/errors.ts';
import { InTurn } from '../../base/in-turn.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { NumaNode } from '../../host/topology.ts';
import type { Waiting } from '../pod/plan.ts';
import { uidOf } from '../pod/uid.ts';
import { inOrder } from './amounts.ts';
import { ANYWHERE, type Giver, type Hint, type Hints } from './hint.ts';
import { mergeHints, type MergeOptions } from './merge.ts';
import { NotAdmitted } from './not-admitted.ts';
import { oneNode, type PlacementFigures } from './figures.ts';

export interface PlacementOptions extends MergeOptions {
	readonly scope: 'container' | 'pod';
	readonly nodes: readonly NumaNode[];
	/** In this order. */
	readonly givers: readonly Giver[];
	readonly figures: PlacementFigures;
	readonly clock: Clock;
	readonly log: Log;
}

export class Placement {
	readonly #given: PlacementOptions;
	readonly #admitted = new Set<string>();
	/** One pod after the other: what one gets is not free for the next. */
	readonly #turns = new InTurn();

	constructor(given: PlacementOptions) {
		this.#given = given;
		const { figures, policy } = given;
		for (const scope of policy === 'none' ? [] : (['container', 'pod'] as const))
			for (const count of [figures.aligned, figures.notAligned]) count.inc(oneNode(scope), 0);
	}

	/** Why the pod cannot run here; undefined once it has all it needs. @param runs it does already, and is not turned away */
	async admit(pod: Pod, runs: boolean, signal: AbortSignal): Promise<Waiting | undefined> {
		const uid = uidOf(pod);
		const { givers, log, figures, clock } = this.#given;
		if (this.#admitted.has(uid)) return undefined;
		if (!givers.some((giver) => giver.concerns(pod))) {
			figures.requests.inc();
			figures.durationMs.observe(0);
			this.#countAligned(pod);
			this.#admitted.add(uid);
			return undefined;
		}
		return this.#turns.run('', async () => {
			figures.requests.inc();
			const from = clock.monotonic();
			try {
				await this.#place(pod, signal);
				await this.saved();
				this.#countAligned(pod);
			} catch (error) {
				if (signal.aborted) throw error;
				if (this.#given.policy !== 'none') figures.errors.inc();
				if (!runs) {
					this.#take(uid);
					return refusal(error);
				}
				log.warn('a pod that runs cannot be given what it asks for', { pod: keyOf(pod), reason: messageOf(error) });
			} finally {
				figures.durationMs.observe(clock.monotonic() - from);
			}
			this.#admitted.add(uid);
			return undefined;
		});
	}

	/** The pod has ended: what it had is free for others. */
	ended(uid: string): void {
		this.#admitted.delete(uid);
		this.#take(uid);
	}

	/** Takes back what pods have that came and went while the agent was away. */
	keep(known: (uid: string) => boolean): void {
		for (const giver of this.#given.givers) for (const uid of giver.holders()) if (!known(uid)) giver.takeBack(uid);
	}

	/** Resolves once what was given is on disk; throws what keeps it from there. */
	async saved(): Promise<void> {
		await Promise.all(this.#given.givers.map((giver) => giver.saved()));
	}

	#take(uid: string): void {
		for (const giver of this.#given.givers) giver.takeBack(uid);
	}

	async #place(pod: Pod, signal: AbortSignal): Promise<void> {
		const { scope, givers, policy } = this.#given;
		const whole = policy !== 'none' && scope === 'pod' ? this.#merged(givers.map((giver) => giver.podHints(pod))) : undefined;
		for (const container of inOrder(pod)) {
			const hint = policy === 'none' ? ANYWHERE : (whole ?? this.#merged(givers.map((giver) => giver.hints(pod, container))));
			for (const giver of givers) await giver.give(pod, container, hint, signal);
		}
	}

	/** Only that policy vouches for it. */
	#countAligned(pod: Pod): void {
		const { figures, policy, scope } = this.#given;
		if (policy === 'single-numa-node') figures.aligned.inc(oneNode(scope), scope === 'pod' ? 1 : inOrder(pod).length);
	}

	#merged(hints: readonly Hints[]): Hint {
		const { figures, nodes, policy, scope } = this.#given;
		const { hint, admit } = mergeHints(hints, nodes, this.#given);
		if (admit) return hint;
		if (policy === 'single-numa-node') figures.notAligned.inc(oneNode(scope));
		throw new NotAdmitted('TopologyAffinityError', 'Resources cannot be allocated with Topology locality');
	}
}

function refusal(error: unknown): Waiting {
	if (error instanceof NotAdmitted) return { reason: error.reason, message: error.message };
	return { reason: 'UnexpectedAdmissionError', message: `Allocate failed due to ${messageOf(error)}, which is unexpected` };
}
