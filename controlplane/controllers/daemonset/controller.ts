/** DaemonSets: a pod on every node that fits, rolled over to a new template node by node. */
import type { ControllerRevision, DaemonSet, Node, Pod } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { CONTROLLER_REVISIONS, DAEMON_SETS, PODS } from '../../../api/resources.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import type { Again } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import { claimAll, type Owner } from '../claim.ts';
import type { Expectations } from '../expectations.ts';
import { isEmptySelector } from '../owned.ts';
import { writePods } from '../pod-writes.ts';
import { createRevision, holds, renumber, REVISION_HASH, truncate } from '../revisions.ts';
import { FailedPods } from './failed-pods.ts';
import { daemonPod } from './nodes.ts';
import { byNode, planNodes, planRolling, statusOf, type PodsByNode } from './plan.ts';

export interface DaemonSetDeps {
	readonly client: Client;
	readonly daemonSets: Lister<DaemonSet>;
	readonly pods: Lister<Pod>;
	readonly nodes: Lister<Node>;
	readonly revisions: Lister<ControllerRevision>;
	readonly recorder: EventRecorder;
	readonly expectations: Expectations;
	readonly clock: Clock;
}

/** At most so many pods are made or deleted in one go (upstream's BurstReplicas). */
const BURST = 250;
const DEFAULT_HISTORY = 10;

export class DaemonSetController {
	readonly #deps: DaemonSetDeps;
	readonly #failed: FailedPods;

	constructor(deps: DaemonSetDeps) {
		this.#deps = deps;
		this.#failed = new FailedPods(deps.clock);
	}

	async reconcile(key: Key, signal: AbortSignal): Promise<Again | void> {
		const { daemonSets, expectations, recorder, nodes, clock } = this.#deps;
		const ds = daemonSets.get(key);
		if (ds === undefined) {
			return this.#failed.forget(key);
		}
		if (isEmptySelector(ds.spec?.selector)) {
			const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
			return recorder.event(referenceTo(DAEMON_SETS, ds), 'Warning', 'SelectingAll', message);
		}
		if (ds.metadata.deletionTimestamp !== undefined) return;
		const owner: Owner = { resource: DAEMON_SETS, object: ds };
		const history = await this.#history(ds, owner, signal);
		if (history === undefined) return; // looked at again with another name
		const hash = history.current.metadata.labels?.[REVISION_HASH] ?? '';
		const inSync = expectations.satisfied(ds.metadata.uid ?? '');
		const owned = await this.#owned(ds, owner, signal);
		const pods = byNode(owned);
		const all = nodes.list();
		const error = inSync ? await this.#act(key, ds, all, pods, hash, signal) : undefined;
		if (inSync && error === undefined) await this.#cleanUp(ds, history.old, owned, signal);
		const status = statusOf(ds, all, pods, hash, clock.now(), inSync);
		if (!sameButNulls(status, ds.status))
			await this.#deps.client.update(DAEMON_SETS, { ...ds, status }, { subresource: 'status', signal }).catch(ignore('NotFound'));
		if (error !== undefined) throw error;
		return this.#again(key, ds, status);
	}

	async #act(key: Key, ds: DaemonSet, nodes: readonly Node[], pods: PodsByNode, hash: string, signal: AbortSignal): Promise<unknown> {
		const { clock, recorder, expectations } = this.#deps;
		const now = clock.now();
		const plan = planNodes(ds, nodes, pods, hash, now, (node) => this.#failed.mayRetry(key, ds.metadata.generation ?? 0, node));
		const about = referenceTo(DAEMON_SETS, ds);
		const found = (pod: Pod, how: string): string => `Found ${how} daemon pod ${keyOf(pod)} on node ${pod.spec?.nodeName}`;
		for (const pod of plan.failed) recorder.event(about, 'Warning', 'FailedDaemonPod', `${found(pod, 'failed')}, will try to kill it`);
		for (const pod of plan.succeeded)
			recorder.event(about, 'Normal', 'SucceededDaemonPod', `${found(pod, 'succeeded')}, will try to delete it`);
		const error = await this.#write(ds, plan, hash, signal);
		const isGone = this.#deps.daemonSets.get(key)?.metadata.uid !== ds.metadata.uid;
		if (isGone || error !== undefined || !expectations.satisfied(ds.metadata.uid ?? '') || ds.spec?.updateStrategy?.type === 'OnDelete')
			return error;
		return this.#write(ds, planRolling(ds, nodes, pods, hash, now), hash, signal);
	}

	#write(
		ds: DaemonSet,
		{ create, remove }: { readonly create: readonly string[]; readonly remove: readonly Pod[] },
		hash: string,
		signal: AbortSignal,
	): Promise<unknown> {
		const made = create.slice(0, BURST).map((node) => daemonPod(ds, node, hash));
		return writePods(this.#deps, { resource: DAEMON_SETS, object: ds }, { create: made, remove: remove.slice(0, BURST) }, signal);
	}

	#owned(ds: DaemonSet, owner: Owner, signal: AbortSignal): Promise<readonly Pod[]> {
		const { client, pods } = this.#deps;
		const matches = (pod: Pod): boolean => matchesLabelSelector(ds.spec?.selector, pod.metadata.labels ?? {});
		return claimAll(client, PODS, owner, pods.list(ds.metadata.namespace), matches, signal);
	}

	/** The revision of the present template, made where it is missing, and the others; undefined after a collision of names. */
	async #history(
		ds: DaemonSet,
		owner: Owner,
		signal: AbortSignal,
	): Promise<{ readonly current: ControllerRevision; readonly old: readonly ControllerRevision[] } | undefined> {
		const { client, revisions } = this.#deps;
		const matches = (r: ControllerRevision): boolean => matchesLabelSelector(ds.spec?.selector, r.metadata.labels ?? {});
		const all = await claimAll(client, CONTROLLER_REVISIONS, owner, revisions.list(ds.metadata.namespace), matches, signal);
		const template = ds.spec?.template;
		const old = all.filter((revision) => !holds(revision, template));
		const next = Math.max(0, ...old.map((revision) => revision.revision)) + 1;
		const [present] = all.filter((revision) => holds(revision, template)).toSorted((a, b) => b.revision - a.revision);
		if (present !== undefined) return { current: await renumber(client, present, next, signal), old };
		const collisions = ds.status?.collisionCount ?? 0;
		const wanted = { owner, template, labels: template?.metadata?.labels, revision: next, collisions };
		const made = await createRevision(client, wanted, signal);
		if (made !== 'collision') return { current: made, old };
		const status = { ...ds.status, collisionCount: collisions + 1 } as NonNullable<DaemonSet['status']>;
		await client.update(DAEMON_SETS, { ...ds, status }, { subresource: 'status', signal });
		return undefined;
	}

	async #cleanUp(ds: DaemonSet, old: readonly ControllerRevision[], pods: readonly Pod[], signal: AbortSignal): Promise<void> {
		const live = new Set(pods.map((pod) => pod.metadata.labels?.[REVISION_HASH]));
		const isLive = (revision: ControllerRevision): boolean => live.has(revision.metadata.labels?.[REVISION_HASH]);
		await truncate(this.#deps.client, old, isLive, ds.spec?.revisionHistoryLimit ?? DEFAULT_HISTORY, signal);
	}

	/** What only time changes: ready pods become available, failed ones may be tried again. */
	#again(key: Key, ds: DaemonSet, status: NonNullable<DaemonSet['status']>): Again | undefined {
		const minReadyMs = (ds.spec?.minReadySeconds ?? 0) * 1000;
		const waits = [...(minReadyMs > 0 && status.numberReady !== status.numberAvailable ? [minReadyMs] : []), ...this.#failed.waits(key)];
		return waits.length === 0 ? undefined : { afterMs: Math.min(...waits) };
	}
}
