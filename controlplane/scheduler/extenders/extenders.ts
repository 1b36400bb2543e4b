/** All extenders, asked one after the other where each narrows what the next is asked about (upstream's findNodesThatPassExtenders and its neighbours). */
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { ExtenderSettings } from '../configuration/extenders.ts';
import { blocked, impossible, MAX_SCORE, PluginFailed, type Refusal } from '../framework.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PodInfo } from '../pod-info.ts';
import type { Candidate } from '../preemption.ts';
import { Extender } from './extender.ts';
import { senderTo, shown } from './http.ts';

/** Of extenders (MaxExtenderPriority). */
const MAX_PRIORITY = 10;

export class Extenders {
	readonly #all: readonly Extender[];
	readonly #log: Log;

	constructor(all: readonly Extender[], log: Log) {
		this.#all = all;
		this.#log = log;
	}

	get isEmpty(): boolean {
		return this.#all.length === 0;
	}

	/** Those that all of them leave, and why not the others. Throws PluginFailed where one that counts does not answer. */
	async filter(
		pod: PodInfo,
		nodes: readonly NodeInfo[],
		signal: AbortSignal,
	): Promise<{ readonly nodes: readonly NodeInfo[]; readonly refusals: ReadonlyMap<string, Refusal> }> {
		let left = nodes;
		const refusals = new Map<string, Refusal>();
		for (const extender of this.#for(pod)) {
			if (left.length === 0) break;
			const filtered = await this.#unlessIgnored(extender, extender.filter(pod, left, signal), signal);
			if (filtered === undefined) continue;
			for (const [name, why] of filtered.failed) refusals.set(name, blocked(why));
			for (const [name, why] of filtered.unresolvable) refusals.set(name, impossible(why));
			left = filtered.nodes;
		}
		return { nodes: left, refusals };
	}

	/** What they add to the scores of nodes, by name. Who does not answer adds nothing. */
	async scores(pod: PodInfo, nodes: readonly NodeInfo[], signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
		const total = new Map<string, number>();
		const all = await Promise.all(
			this.#for(pod).map(async (extender) => {
				const scores = await extender.prioritize(pod, nodes, signal).catch((error: unknown) => {
					signal.throwIfAborted();
					this.#log.warn('extender gives no scores', { extender: shown(extender.settings.urlPrefix), reason: messageOf(error) });
					return new Map<string, number>();
				});
				return { scores, weight: extender.settings.weight };
			}),
		);
		for (const { scores, weight } of all)
			for (const [name, score] of scores) total.set(name, (total.get(name) ?? 0) + score * weight * (MAX_SCORE / MAX_PRIORITY));
		return total;
	}

	/** Throws PluginFailed where one that counts does not answer well. */
	async preempt(
		pod: PodInfo,
		candidates: readonly Candidate[],
		nodes: readonly NodeInfo[],
		signal: AbortSignal,
	): Promise<readonly Candidate[]> {
		let left = candidates;
		for (const extender of this.#for(pod).filter(({ settings }) => settings.verbs.preempt !== '')) {
			if (left.length === 0) break;
			const answer = await this.#unlessIgnored(extender, extender.preempt(pod, left, nodes, signal), signal);
			if (answer === undefined) continue;
			const empty = answer.find(({ victims }) => victims.length === 0);
			if (empty !== undefined && !extender.settings.ignorable)
				throw new PluginFailed(`expected at least one victim pod on node ${JSON.stringify(empty.node)}`);
			left = answer.filter(({ victims }) => victims.length > 0);
		}
		return left;
	}

	/** False where none of them binds this pod. */
	async bind(pod: PodInfo, node: string, signal: AbortSignal): Promise<boolean> {
		for (const extender of this.#for(pod).filter(({ settings }) => settings.verbs.bind !== '')) {
			const done = await this.#unlessIgnored(
				extender,
				extender.bind(pod, node, signal).then(() => true),
				signal,
			);
			if (done === true) return true;
		}
		return false;
	}

	#for({ pod }: PodInfo): readonly Extender[] {
		return this.#all.filter((extender) => extender.isInterested(pod));
	}

	/** Undefined where it fails and may be ignored. */
	async #unlessIgnored<T>({ settings }: Extender, answer: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
		try {
			return await answer;
		} catch (error) {
			signal.throwIfAborted();
			if (!settings.ignorable) throw new PluginFailed(messageOf(error), { cause: error });
			this.#log.info('extender ignored', { extender: shown(settings.urlPrefix), reason: messageOf(error) });
			return undefined;
		}
	}
}

/** AppError InvalidArgument for one that cannot be called as it is described. */
export async function makeExtenders(settings: readonly ExtenderSettings[], clock: Clock, log: Log): Promise<Extenders> {
	const all = await Promise.all(settings.map(async (one) => new Extender(one, await senderTo(one, clock))));
	return new Extenders(all, log);
}
