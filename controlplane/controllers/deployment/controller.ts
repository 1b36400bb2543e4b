/** Deployment: one ReplicaSet a template, moved from old to new by the strategy; revisions, conditions and history. */
import type { Clock } from '../../../base/clock.ts';
import { codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Deployment, Pod, ReplicaSet } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { DEPLOYMENTS, REPLICA_SETS } from '../../../api/resources.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import { isNamespaceGoing } from '../namespaced.ts';
import { claimAll } from '../claim.ts';
import { controllerOf, controllerRef, isEmptySelector } from '../owned.ts';
import {
	DESIRED_REPLICAS,
	historyToDelete,
	latest,
	MAX_REPLICAS,
	newReplicaSetOf,
	newSetAnnotations,
	nextRevision,
	REVISION,
	revisionOf,
	TEMPLATE_HASH,
	templateHash,
} from './revision.ts';
import { fenceposts, isScalingEvent, newSetReplicas, oldSetScales, proportionalScales, replicasOf, type Scale } from './rolling.ts';
import { isComplete, msUntilDeadline, statusOf, type Seen } from './status.ts';

export interface DeploymentDeps {
	readonly client: Client;
	readonly deployments: Lister<Deployment>;
	readonly replicaSets: Lister<ReplicaSet>;
	readonly pods: Lister<Pod>;
	readonly recorder: EventRecorder;
	readonly clock: Clock;
}

export class DeploymentController {
	readonly #deps: DeploymentDeps;
	constructor(deps: DeploymentDeps) {
		this.#deps = deps;
	}

	async reconcile(key: Key, signal: AbortSignal): Promise<{ readonly afterMs: number } | void> {
		const deployment = this.#deps.deployments.get(key);
		if (deployment === undefined || isEmptySelector(deployment.spec?.selector)) return;
		const sets = await this.#claim(deployment, signal);
		if (deployment.metadata.deletionTimestamp !== undefined)
			return this.#finish(deployment, { fresh: newReplicaSetOf(deployment, sets), all: sets }, signal);
		const fresh = newReplicaSetOf(deployment, sets);
		const old = sets.filter((rs) => rs !== fresh);
		if (deployment.spec?.paused === true || isScalingEvent(deployment, sets)) {
			const renumbered = fresh === undefined ? undefined : await this.#renumber(deployment, fresh, old, signal);
			const all = await this.#apply(
				deployment,
				proportionalScales(deployment, renumbered, old),
				sets.map((rs) => (rs === fresh && renumbered !== undefined ? renumbered : rs)),
				signal,
			);
			return this.#finish(deployment, { fresh: all.find((rs) => rs.metadata.uid === fresh?.metadata.uid), all }, signal);
		}
		return deployment.spec?.strategy?.type === 'Recreate'
			? this.#recreate(deployment, fresh, old, signal)
			: this.#roll(deployment, fresh, old, signal);
	}

	async #roll(
		deployment: Deployment,
		found: ReplicaSet | undefined,
		old: readonly ReplicaSet[],
		signal: AbortSignal,
	): Promise<{ readonly afterMs: number } | void> {
		const { fresh, note } = await this.#ensureNew(deployment, found, old, signal);
		if (fresh === undefined) return this.#finish(deployment, { fresh, all: old, note }, signal);
		const all = [...old, fresh];
		const size = newSetReplicas(deployment, all, fresh);
		const scales =
			size === replicasOf(fresh) ? oldSetScales(deployment, old, fresh) : [{ name: fresh.metadata.name ?? '', replicas: size }];
		const after = await this.#apply(deployment, scales, all, signal);
		return this.#finish(deployment, { fresh: after.find((rs) => rs.metadata.uid === fresh.metadata.uid), all: after, note }, signal);
	}

	/** All old pods go before the first new one comes. */
	async #recreate(
		deployment: Deployment,
		found: ReplicaSet | undefined,
		old: readonly ReplicaSet[],
		signal: AbortSignal,
	): Promise<{ readonly afterMs: number } | void> {
		const down = old.filter((rs) => replicasOf(rs) > 0).map((rs) => ({ name: rs.metadata.name ?? '', replicas: 0 }));
		const emptied = await this.#apply(deployment, down, old, signal);
		const all = found === undefined ? emptied : [...emptied, found];
		const uids = new Set(old.map((rs) => rs.metadata.uid));
		const busy = this.#deps.pods.list(deployment.metadata.namespace).some((pod) => uids.has(controllerOf(pod)?.uid) && !isTerminal(pod));
		if (down.length > 0 || busy) return this.#finish(deployment, { fresh: found, all }, signal);
		const { fresh, note } = await this.#ensureNew(deployment, found, emptied, signal);
		if (fresh === undefined) return this.#finish(deployment, { fresh, all, note }, signal);
		const after = await this.#apply(
			deployment,
			[{ name: fresh.metadata.name ?? '', replicas: deployment.spec?.replicas ?? 1 }],
			[...emptied, fresh],
			signal,
		);
		return this.#finish(deployment, { fresh: after.find((rs) => rs.metadata.uid === fresh.metadata.uid), all: after, note }, signal);
	}

	#claim(deployment: Deployment, signal: AbortSignal): Promise<readonly ReplicaSet[]> {
		const { client, replicaSets } = this.#deps;
		const matches = (rs: ReplicaSet): boolean => matchesLabelSelector(deployment.spec?.selector, rs.metadata.labels ?? {});
		const owner = { resource: DEPLOYMENTS, object: deployment };
		return claimAll(client, REPLICA_SETS, owner, replicaSets.list(deployment.metadata.namespace), matches, signal);
	}

	/** The new ReplicaSet, made if there is none. A hash that another template has already is counted as a collision and tried again. */
	async #ensureNew(
		deployment: Deployment,
		found: ReplicaSet | undefined,
		old: readonly ReplicaSet[],
		signal: AbortSignal,
	): Promise<Pick<Seen, 'fresh' | 'note'>> {
		const { client, recorder } = this.#deps;
		if (found !== undefined) {
			const fresh = await this.#renumber(deployment, found, old, signal);
			const known = deployment.status?.conditions?.some((c) => c.type === 'Progressing') === true;
			return {
				fresh,
				note: known ? undefined : { reason: 'FoundNewReplicaSet', message: `Found new replica set "${found.metadata.name}"` },
			};
		}
		const made = this.#newSet(deployment, old);
		try {
			const fresh = await client.create(REPLICA_SETS, made, { signal });
			await this.#setRevision(deployment, revisionOf(fresh), signal);
			if (replicasOf(fresh) > 0)
				recorder.event(
					referenceTo(DEPLOYMENTS, deployment),
					'Normal',
					'ScalingReplicaSet',
					`Scaled up replica set ${fresh.metadata.name} from 0 to ${replicasOf(fresh)}`,
				);
			return { fresh, note: { reason: 'NewReplicaSetCreated', message: `Created new replica set "${fresh.metadata.name}"` } };
		} catch (error) {
			if (codeOf(error) === 'AlreadyExists') {
				const status = { ...deployment.status, collisionCount: (deployment.status?.collisionCount ?? 0) + 1 };
				await client.update(DEPLOYMENTS, { ...deployment, status }, { signal, subresource: 'status' });
				throw error;
			}
			if (codeOf(error) === 'Aborted') throw error;
			if (isNamespaceGoing(error)) return { fresh: undefined, note: undefined }; // it takes nothing more
			const message = `Failed to create new replica set "${made.metadata.name}": ${messageOf(error)}`;
			recorder.event(referenceTo(DEPLOYMENTS, deployment), 'Warning', 'ReplicaSetCreateError', message);
			return { fresh: undefined, note: { reason: 'ReplicaSetCreateError', message } };
		}
	}

	#newSet(deployment: Deployment, old: readonly ReplicaSet[]): ReplicaSet {
		const hash = templateHash(deployment.spec?.template ?? {}, deployment.status?.collisionCount ?? 0);
		const template = deployment.spec?.template;
		const labels = { ...template?.metadata?.labels, [TEMPLATE_HASH]: hash };
		const rs: ReplicaSet = {
			apiVersion: 'apps/v1',
			kind: 'ReplicaSet',
			metadata: {
				name: `${deployment.metadata.name}-${hash}`,
				namespace: deployment.metadata.namespace,
				labels,
				annotations: newSetAnnotations(deployment, undefined, nextRevision(old)),
				ownerReferences: [controllerRef(DEPLOYMENTS, deployment)],
			},
			spec: {
				replicas: 0,
				minReadySeconds: deployment.spec?.minReadySeconds,
				selector: { ...deployment.spec?.selector, matchLabels: { ...deployment.spec?.selector?.matchLabels, [TEMPLATE_HASH]: hash } },
				template: structuredClone({ ...template, metadata: { ...template?.metadata, labels } }),
			},
		};
		const replicas = newSetReplicas(deployment, [...old, rs], rs);
		return {
			...rs,
			metadata: { ...rs.metadata, annotations: { ...rs.metadata.annotations, ...sizes(deployment) } },
			spec: { ...rs.spec, selector: rs.spec?.selector ?? {}, replicas },
		};
	}

	/** Gives the new set its revision number and the Deployment's annotations; a set that was old becomes the newest revision again. */
	async #renumber(deployment: Deployment, fresh: ReplicaSet, old: readonly ReplicaSet[], signal: AbortSignal): Promise<ReplicaSet> {
		const revision = latest([nextRevision(old), revisionOf(fresh)]);
		const annotations = newSetAnnotations(deployment, fresh, revision);
		const minReadySeconds = deployment.spec?.minReadySeconds;
		const changed = !sameButNulls(annotations, fresh.metadata.annotations) || (fresh.spec?.minReadySeconds ?? 0) !== (minReadySeconds ?? 0);
		const updated = changed
			? await this.#deps.client.update(
					REPLICA_SETS,
					{
						...fresh,
						metadata: { ...fresh.metadata, annotations },
						spec: { ...fresh.spec, selector: fresh.spec?.selector ?? {}, minReadySeconds },
					},
					{ signal },
				)
			: fresh;
		await this.#setRevision(deployment, revision, signal);
		return updated;
	}

	async #setRevision(deployment: Deployment, revision: bigint, signal: AbortSignal): Promise<void> {
		if (revisionOf(deployment) === revision) return;
		const { metadata } = deployment;
		const annotations = { ...metadata.annotations, [REVISION]: String(revision) };
		// By way of the status, as upstream does: a new annotation alone would otherwise be a new generation.
		await this.#deps.client.update(
			DEPLOYMENTS,
			{ ...deployment, metadata: { ...metadata, annotations } },
			{ subresource: 'status', signal },
		);
	}

	/** Writes new sizes; returns all sets as they are afterwards. */
	async #apply(
		deployment: Deployment,
		scales: readonly Scale[],
		all: readonly ReplicaSet[],
		signal: AbortSignal,
	): Promise<readonly ReplicaSet[]> {
		const { client, recorder } = this.#deps;
		const after: ReplicaSet[] = [];
		for (const rs of all) {
			const scale = scales.find((s) => s.name === rs.metadata.name);
			const replicas = scale?.replicas ?? replicasOf(rs);
			const annotations = { ...rs.metadata.annotations, ...sizes(deployment) };
			if (replicas === replicasOf(rs) && (replicas === 0 || sameButNulls(annotations, rs.metadata.annotations))) {
				after.push(rs);
				continue;
			}
			const updated = await client.update(
				REPLICA_SETS,
				{ ...rs, metadata: { ...rs.metadata, annotations }, spec: { ...rs.spec, selector: rs.spec?.selector ?? {}, replicas } },
				{ signal },
			);
			after.push(updated);
			if (replicas !== replicasOf(rs)) {
				const direction = replicas > replicasOf(rs) ? 'up' : 'down';
				recorder.event(
					referenceTo(DEPLOYMENTS, deployment),
					'Normal',
					'ScalingReplicaSet',
					`Scaled ${direction} replica set ${rs.metadata.name} from ${replicasOf(rs)} to ${replicas}`,
				);
			}
		}
		return after;
	}

	async #finish(deployment: Deployment, seen: Seen, signal: AbortSignal): Promise<{ readonly afterMs: number } | void> {
		const { client, clock } = this.#deps;
		const now = clock.now();
		const status = statusOf(deployment, seen, now);
		if (!sameButNulls(status, deployment.status))
			await client.update(DEPLOYMENTS, { ...deployment, status }, { signal, subresource: 'status' }).catch(ignore('NotFound'));
		if (isComplete(deployment, status) || deployment.spec?.paused === true) {
			const old = seen.all.filter((rs) => rs.metadata.uid !== seen.fresh?.metadata.uid);
			for (const rs of historyToDelete(deployment, old))
				await client.delete(REPLICA_SETS, keyOf(rs), { signal, uid: rs.metadata.uid ?? '' }).catch(ignore('NotFound', 'Aborted'));
		}
		const afterMs = msUntilDeadline(deployment, status, now);
		if (afterMs !== undefined) return { afterMs };
	}
}

/** What every set remembers of the Deployment's size, so that a later scaling can keep proportions. */
function sizes(deployment: Deployment): Record<string, string> {
	const desired = deployment.spec?.replicas ?? 1;
	return { [DESIRED_REPLICAS]: String(desired), [MAX_REPLICAS]: String(desired + fenceposts(deployment).surge) };
}
