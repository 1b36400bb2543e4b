/** StatefulSets: pods with names and storage of their own, made, updated and removed in order. */
import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { CONTROLLER_REVISIONS, PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '../../../api/resources.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Change, Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom, type Again } from '../../../client/controller.ts';
import type { EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { claimAll, type Owner } from '../claim.ts';
import { interested } from '../interest.ts';
import { isEmptySelector } from '../owned.ts';
import type { Reconciler } from '../reconciler.ts';
import { byRevision, createRevision, holds, renumber, templateOf, truncate } from '../revisions.ts';
import { revisionHash } from '../revision-hash.ts';
import { slowStart } from '../slow-start.ts';
import { hasClaim, ordinalOf, revisionOf, statefulPod } from './identity.ts';
import { msUntilAvailable, planSteps, revisionFor, statusOf, type Revisions, type Step } from './plan.ts';
import { StatefulPods } from './pods.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

const DEFAULT_HISTORY = 10;

export function statefulSetReconciler({ client, informers, clock, recorder }: Deps): Reconciler {
	const sets = informers.get(STATEFUL_SETS);
	const pods = informers.get(PODS);
	const revisions = informers.get(CONTROLLER_REVISIONS);
	const claims = informers.get(PERSISTENT_VOLUME_CLAIMS);
	const controller = new StatefulSetController({
		...{ client, clock, sets: sets.lister, pods: pods.lister, revisions: revisions.lister },
		writes: new StatefulPods({ client, claims: claims.lister, recorder }),
	});
	const ofOwned = (change: Change<Pod | ControllerRevision>): Iterable<Key> => interested(change, STATEFUL_SETS.kind, sets.lister);
	/** A claim that went may be made anew. */
	const ofClaim = ({ before, after }: Change<PersistentVolumeClaim>): Iterable<Key> =>
		before === undefined || after !== undefined
			? []
			: sets.lister
					.list(before.metadata.namespace)
					.filter((set) => hasClaim(set, before.metadata.name ?? ''))
					.map(keyOf);
	return {
		sources: [keysFrom(sets), keysFrom(pods, ofOwned), keysFrom(revisions, ofOwned), keysFrom<PersistentVolumeClaim>(claims, ofClaim)],
		reconcile: (key, signal) => controller.reconcile(key, signal),
	};
}

interface ControllerDeps {
	readonly client: Client;
	readonly clock: Clock;
	readonly sets: Lister<StatefulSet>;
	readonly pods: Lister<Pod>;
	readonly revisions: Lister<ControllerRevision>;
	readonly writes: StatefulPods;
}

interface History {
	readonly current: ControllerRevision;
	readonly update: ControllerRevision;
	readonly all: readonly ControllerRevision[];
	readonly collisions: number;
}

class StatefulSetController {
	readonly #deps: ControllerDeps;
	constructor(deps: ControllerDeps) {
		this.#deps = deps;
	}

	async reconcile(key: Key, signal: AbortSignal): Promise<Again | void> {
		const { client, sets, pods, clock, writes } = this.#deps;
		const set = sets.get(key);
		if (set === undefined || isEmptySelector(set.spec?.selector)) return;
		const owner: Owner = { resource: STATEFUL_SETS, object: set };
		const matches = (pod: Pod): boolean => matchesLabelSelector(set.spec?.selector, pod.metadata.labels ?? {}) && ordinalOf(set, pod) >= 0;
		const owned = await claimAll(client, PODS, owner, pods.list(set.metadata.namespace), matches, signal);
		const history = await this.#history(set, owner, signal);
		const names: Revisions = { current: history.current.metadata.name ?? '', update: history.update.metadata.name ?? '' };
		const steps = planSteps(set, owned, names, clock.now());
		// Before a pod goes: the garbage collector must know then what goes with it.
		if (set.metadata.deletionTimestamp === undefined) for (const pod of owned) await writes.keepOwners(set, pod, signal);
		const { error } = await slowStart(steps.length, (i) => this.#take(set, steps[i] as Step, history, names, signal));
		const status = statusOf(set, owned, names, history.collisions, clock.now());
		if (!sameButNulls(status, set.status))
			await client.update(STATEFUL_SETS, { ...set, status }, { subresource: 'status', signal }).catch(ignore('NotFound'));
		if (error !== undefined) throw error;
		await this.#cleanUp(set, owned, history, signal);
		const afterMs = msUntilAvailable(set, owned, clock.now());
		if (afterMs !== undefined) return { afterMs };
	}

	async #take(set: StatefulSet, step: Step, history: History, names: Revisions, signal: AbortSignal): Promise<void> {
		const { writes } = this.#deps;
		switch (step.type) {
			case 'create': {
				const name = revisionFor(set, step.ordinal, names);
				const revision = name === names.current ? history.current : history.update;
				await writes.create(set, statefulPod(set, templateOf(revision) ?? set.spec?.template, name, step.ordinal), signal);
				return;
			}
			case 'repair':
				if (step.isPending) await writes.ensureClaims(set, step.pod, signal);
				return await writes.repair(set, step.pod, signal);
			case 'delete':
				return await writes.delete(set, step.pod, signal);
		}
	}

	async #history(set: StatefulSet, owner: Owner, signal: AbortSignal): Promise<History> {
		const { client, revisions } = this.#deps;
		const matches = (r: ControllerRevision): boolean => matchesLabelSelector(set.spec?.selector, r.metadata.labels ?? {});
		const all = byRevision(await claimAll(client, CONTROLLER_REVISIONS, owner, revisions.list(set.metadata.namespace), matches, signal));
		const template = set.spec?.template;
		const next = Math.max(0, ...all.map((r) => r.revision)) + 1;
		const equal = all.findLast((r) => holds(r, template));
		let collisions = set.status?.collisionCount ?? 0;
		let update = equal === undefined || equal === all.at(-1) ? equal : await renumber(client, equal, next, signal);
		for (; update === undefined; ) {
			const labels = template?.metadata?.labels;
			const hashing = { hashLabel: 'controller.kubernetes.io/hash', hash: revisionHash };
			const wanted = { owner, template, labels, revision: next, collisions, ...hashing };
			const made = await createRevision(client, wanted, signal);
			if (made === 'collision') collisions++;
			else update = made;
		}
		const current = all.find((r) => r.metadata.name === set.status?.currentRevision) ?? update;
		return { current, update, all, collisions };
	}

	async #cleanUp(set: StatefulSet, pods: readonly Pod[], { current, update, all }: History, signal: AbortSignal): Promise<void> {
		const live = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOf)]);
		const old = all.filter((revision) => !live.has(revision.metadata.name));
		await truncate(this.#deps.client, old, () => false, set.spec?.revisionHistoryLimit ?? DEFAULT_HISTORY, signal);
	}
}
