/** ReplicaSet: keeps as many pods as asked for. Claims what matches, creates in growing batches, deletes the least useful first, writes status. */
import type { Clock } from '../../../base/clock.ts';
import { AppError, codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Pod, ReplicaSet, ReplicaSetStatus } from '../../../api/gen/types.ts';
import { keyOf, type Key, type Resource } from '../../../api/resource.ts';
import { PODS } from '../../../api/resources.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import { isActive } from '../../../api/pod/phase.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import { isNamespaceGoing } from '../namespaced.ts';
import { claimAll } from '../claim.ts';
import { controllerOf, isEmptySelector } from '../owned.ts';
import type { Expectations } from '../expectations.ts';
import { podFromTemplate } from '../pod-template.ts';
import { slowStart } from '../slow-start.ts';
import { difference, msUntilAvailable, statusOf, victims } from './plan.ts';

export interface ReplicaSetDeps {
	readonly client: Client;
	/** ReplicaSets, or ReplicationControllers seen as such. */
	readonly resource: Resource;
	/** What of a status the kind has. */
	readonly shape: (status: ReplicaSetStatus) => ReplicaSetStatus;
	/** Writes the status of one of them. */
	readonly writeStatus: (rs: ReplicaSet, status: ReplicaSetStatus, signal: AbortSignal) => Promise<unknown>;
	readonly replicaSets: Lister<ReplicaSet>;
	readonly pods: Lister<Pod>;
	readonly recorder: EventRecorder;
	readonly expectations: Expectations;
	readonly clock: Clock;
}

type Failure = { readonly reason: 'FailedCreate' | 'FailedDelete'; readonly message: string };

export class ReplicaSetController {
	readonly #deps: ReplicaSetDeps;
	constructor(deps: ReplicaSetDeps) {
		this.#deps = deps;
	}

	async reconcile(key: Key, signal: AbortSignal): Promise<{ readonly afterMs: number } | void> {
		const { replicaSets, expectations, clock } = this.#deps;
		const rs = replicaSets.get(key);
		if (rs === undefined || isEmptySelector(rs.spec?.selector)) return;
		const inSync = expectations.satisfied(rs.metadata.uid ?? '');
		const owned = await this.#claim(rs, signal);
		let failure: { readonly error: unknown; readonly condition: Failure } | undefined;
		if (inSync && rs.metadata.deletionTimestamp === undefined) failure = await this.#scale(rs, owned, signal);
		await this.#writeStatus(rs, owned, failure?.condition, signal);
		if (failure !== undefined) throw failure.error;
		const afterMs = msUntilAvailable(rs, owned, clock.now());
		if (afterMs !== undefined) return { afterMs };
	}

	/** The pods that are this set's: active ones after adopting and releasing, and its own on their way out. What has ended is left as it is. */
	async #claim(rs: ReplicaSet, signal: AbortSignal): Promise<readonly Pod[]> {
		const { client, pods, resource } = this.#deps;
		const matches = (pod: Pod): boolean => matchesLabelSelector(rs.spec?.selector, pod.metadata.labels ?? {});
		const { active = [], others = [] } = Object.groupBy(pods.list(rs.metadata.namespace), (pod) => (isActive(pod) ? 'active' : 'others'));
		const claimed = await claimAll(client, PODS, { resource, object: rs }, active, matches, signal);
		return [...claimed, ...others.filter((pod) => controllerOf(pod)?.uid === rs.metadata.uid && matches(pod))];
	}

	async #scale(
		rs: ReplicaSet,
		owned: readonly Pod[],
		signal: AbortSignal,
	): Promise<{ readonly error: unknown; readonly condition: Failure } | undefined> {
		const active = owned.filter(isActive);
		const missing = difference(rs, active);
		if (missing > 0) {
			const error = await this.#create(rs, missing, signal);
			return error === undefined ? undefined : { error, condition: { reason: 'FailedCreate', message: messageOf(error) } };
		}
		if (missing < 0) {
			const error = await this.#delete(rs, active, -missing, signal);
			return error === undefined ? undefined : { error, condition: { reason: 'FailedDelete', message: messageOf(error) } };
		}
		return undefined;
	}

	async #create(rs: ReplicaSet, count: number, signal: AbortSignal): Promise<unknown> {
		const { client, expectations, recorder, resource } = this.#deps;
		const own = rs.metadata.uid ?? '';
		expectations.expectCreations(own, count);
		const { succeeded, error } = await slowStart(count, async () => {
			try {
				const pod = await client.create(PODS, podFromTemplate(rs.spec?.template, resource, rs), { signal });
				recorder.event(referenceTo(resource, rs), 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
			} catch (failure) {
				if (isNamespaceGoing(failure)) return; // it takes nothing more
				if (codeOf(failure) !== 'NotFound')
					recorder.event(referenceTo(resource, rs), 'Warning', 'FailedCreate', `Error creating: ${messageOf(failure)}`);
				throw failure;
			}
		});
		expectations.creationObserved(own, count - succeeded); // those that failed, and those that were never tried
		return error;
	}

	async #delete(rs: ReplicaSet, active: readonly Pod[], count: number, signal: AbortSignal): Promise<unknown> {
		const { client, expectations, recorder, clock, resource } = this.#deps;
		const own = rs.metadata.uid ?? '';
		const going = victims(active, this.#related(rs), count, clock.now());
		expectations.expectDeletions(
			own,
			going.map((pod) => pod.metadata.uid ?? ''),
		);
		const results = await Promise.allSettled(
			going.map(async (pod) => {
				const uid = pod.metadata.uid ?? '';
				try {
					await client.delete(PODS, keyOf(pod), { signal, uid });
					recorder.event(referenceTo(resource, rs), 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
				} catch (failure) {
					expectations.deletionObserved(own, uid);
					if (codeOf(failure) === 'NotFound' || codeOf(failure) === 'Aborted') return; // gone already
					recorder.event(referenceTo(resource, rs), 'Warning', 'FailedDelete', `Error deleting: ${messageOf(failure)}`);
					throw new AppError(codeOf(failure), `unable to delete pods: ${messageOf(failure)}`, { cause: failure });
				}
			}),
		);
		return results.find((r) => r.status === 'rejected')?.reason as unknown;
	}

	/** Active pods of all sets with the same owner: a pod whose node has many of them is the one to spare least. As upstream, none of a set without one. */
	#related(rs: ReplicaSet): readonly Pod[] {
		const { replicaSets, pods } = this.#deps;
		const owner = controllerOf(rs)?.uid;
		if (owner === undefined) return [];
		const siblings = new Set(
			replicaSets
				.list(rs.metadata.namespace)
				.filter((other) => controllerOf(other)?.uid === owner)
				.map((other) => other.metadata.uid),
		);
		return pods.list(rs.metadata.namespace).filter((pod) => isActive(pod) && siblings.has(controllerOf(pod)?.uid));
	}

	async #writeStatus(rs: ReplicaSet, owned: readonly Pod[], failure: Failure | undefined, signal: AbortSignal): Promise<void> {
		const { shape, writeStatus, clock } = this.#deps;
		const status = shape(statusOf(rs, owned, failure, clock.now()));
		if (sameButNulls(status, rs.status)) return;
		await writeStatus(rs, status, signal).catch(ignore('NotFound'));
	}
}
