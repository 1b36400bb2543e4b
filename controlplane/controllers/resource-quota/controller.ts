/**
 * The resource quota controller: keeps what each quota's status says is used equal to what its namespace holds. Admission charges writes as they come;
 * this gives back what was deleted, has ended or became smaller, and counts what was there before the quota.
 */
import type { ResourceQuota } from '../../../api/gen/types.ts';
import type { QuotaEvaluator } from '../../../api/quota/evaluator.ts';
import { evaluatorsFor } from '../../../api/quota/evaluators.ts';
import { isInScopes } from '../../../api/quota/scopes.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { RESOURCE_QUOTAS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom, type KeySource } from '../../../client/controller.ts';
import type { Informer } from '../../../client/informer.ts';
import type { Informers } from '../../../client/informers.ts';
import { discover } from '../discovered.ts';
import type { Reconciler } from '../reconciler.ts';
import { isLess, quotaStatus, sameStatus, type Counted } from './usage.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
}

/** Upstream's --resource-quota-sync-period. */
const RESYNC_MS = 5 * 60_000;
/** What was counted may have been behind what admission had charged already: it is counted once more. */
const RECHECK_MS = 1000;
/** Nothing is given back so soon after a charge, since what was charged for is made only then. */
const CHARGED_MS = 1000;

export function resourceQuotaController(deps: Deps): Reconciler {
	const { informers } = deps;
	const quotas = informers.get(RESOURCE_QUOTAS);
	const followed = new FollowedResources(deps);
	/** When admission charged a quota last: what it charged for may not be there to be counted yet. */
	const chargedMs = new Map<Key, number>();
	const keys = ({ before, after }: Change<ResourceQuota>): readonly Key[] => {
		if (after === undefined) {
			if (before !== undefined) chargedMs.delete(keyOf(before));
			return [];
		}
		if (before?.status !== undefined && isLess(before.status, after.status)) chargedMs.set(keyOf(after), deps.clock.now());
		return sameSpec(before, after) ? [] : [keyOf(after)];
	};
	return {
		sources: [keysFrom(quotas, keys), followed],
		async reconcile(key, signal) {
			const { client, clock } = deps;
			const quota = quotas.lister.get(key);
			if (quota === undefined) return;
			const counted: Counted[] = [];
			for (const { evaluator, names } of evaluatorsFor(Object.keys(quota.spec?.hard ?? {}))) {
				const informer = await followed.of(evaluator, signal);
				if (informer !== undefined) counted.push({ evaluator, names, objects: informer.lister.list(quota.metadata.namespace) });
			}
			const status = quotaStatus(quota, counted, clock.now());
			if (sameStatus(status, quota.status)) return { afterMs: RESYNC_MS };
			const waitMs = (chargedMs.get(key) ?? -Infinity) + CHARGED_MS - clock.now();
			if (waitMs > 0 && isLess(status, quota.status)) return { afterMs: waitMs };
			await client.update(RESOURCE_QUOTAS, { ...quota, status }, { subresource: 'status', signal });
			return { afterMs: RECHECK_MS };
		},
	};
}

function sameSpec(before: ResourceQuota | undefined, after: ResourceQuota): boolean {
	return JSON.stringify(before?.spec) === JSON.stringify(after.spec) && after.status?.hard !== undefined;
}

/** Informers of the resources that quotas name, from the first quota that names them on; their quotas look again when something is given back. */
class FollowedResources implements KeySource {
	readonly #deps: Deps;
	readonly #informers = new Map<string, Informer<KubeObject>>();
	#enqueue: (key: Key) => void = () => {};
	#following = new DisposableStack();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	synced(): Promise<void> {
		return Promise.resolve();
	}

	subscribe(enqueue: (key: Key) => void): Disposable {
		this.#enqueue = enqueue;
		this.#following = new DisposableStack();
		return this.#following;
	}

	/** Synced; undefined for a resource that is not served. */
	async of(evaluator: QuotaEvaluator, signal: AbortSignal): Promise<Informer<KubeObject> | undefined> {
		const name = `${evaluator.group}/${evaluator.resource}`;
		let informer = this.#informers.get(name);
		if (informer === undefined) {
			const served = await discover(this.#deps.client, signal);
			const resource = served.find((r) => `${r.group}/${r.plural}` === name && r.namespaced && r.verbs.includes('watch'));
			if (resource === undefined) return undefined;
			informer = this.#informers.get(name) ?? this.#follow(name, evaluator, this.#deps.informers.get<KubeObject>(resource));
		}
		await informer.synced(signal);
		return informer;
	}

	#follow(name: string, evaluator: QuotaEvaluator, informer: Informer<KubeObject>): Informer<KubeObject> {
		this.#informers.set(name, informer);
		this.#following.use(informer.subscribe((change) => this.#replenish(evaluator, change)));
		return informer;
	}

	#replenish(evaluator: QuotaEvaluator, { before, after }: Change<KubeObject>): void {
		const { clock, informers } = this.#deps;
		if (before === undefined) return;
		const isLessUsed = after === undefined || usesLess(evaluator, before, after, clock.now());
		for (const quota of informers.get(RESOURCE_QUOTAS).lister.list(before.metadata.namespace)) {
			if (evaluator.matching(Object.keys(quota.spec?.hard ?? {})).length === 0) continue;
			if (isLessUsed || changesScope(evaluator, quota, before, after)) this.#enqueue(keyOf(quota));
		}
	}
}

/** It is one of the quota's objects now and was not, or the other way around. */
function changesScope(evaluator: QuotaEvaluator, quota: ResourceQuota, before: KubeObject, after: KubeObject): boolean {
	return isInScopes(evaluator, before, quota) !== isInScopes(evaluator, after, quota);
}

/** Less of anything; more is charged by admission. */
function usesLess(evaluator: QuotaEvaluator, before: KubeObject, after: KubeObject, now: number): boolean {
	const used = evaluator.usage(before, now);
	const uses = evaluator.usage(after, now);
	return [...used].some(([name, { nano }]) => (uses.get(name)?.nano ?? 0n) < nano);
}
