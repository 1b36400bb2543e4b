/** What the scheduler writes about pods: bindings, the PodScheduled condition, the end of victims. */
import type { Pod, PodCondition } from '../../api/gen/types.ts';
import { observedGeneration } from '../../api/pod/observed.ts';
import { PODS } from '../../api/resources.ts';
import { StatusError } from '../../api/status.ts';
import { keyOf } from '../../api/resource.ts';
import { timeOf } from '../../api/time.ts';
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import type { PodInfo } from './pod-info.ts';

export class PodWriter {
	readonly #client: Client;
	readonly #clock: Clock;

	constructor(client: Client, clock: Clock) {
		this.#client = client;
		this.#clock = clock;
	}

	async bind(pod: PodInfo, node: string, signal: AbortSignal): Promise<void> {
		const { name, namespace } = pod.pod.metadata;
		const binding = {
			apiVersion: 'v1',
			kind: 'Binding',
			metadata: { name, namespace, uid: pod.uid },
			target: { kind: 'Node', name: node },
		};
		await this.#client.create(PODS, binding, { subresource: 'binding', key: pod.key, signal });
	}

	/** Where the pod will be once what must be done before is done. */
	async nominated(pod: Pod, node: string, signal: AbortSignal): Promise<void> {
		if (pod.status?.nominatedNodeName === node) return;
		const body = { status: { nominatedNodeName: node } };
		await this.#client.patch(PODS, keyOf(pod), { type: 'strategic', body }, { subresource: 'status', signal });
	}

	/** PodScheduled=False, written only where it says something new; `nominated` null takes a nomination back. */
	async unscheduled(pod: Pod, reason: string, message: string, nominated: string | null | undefined, signal: AbortSignal): Promise<void> {
		const before = pod.status?.conditions?.find((c) => c.type === 'PodScheduled');
		const nominates = nominated !== undefined && nominated !== pod.status?.nominatedNodeName;
		if (!nominates && before?.status === 'False' && before.reason === reason && before.message === message) return;
		const condition = this.#condition('PodScheduled', 'False', reason, message, before, pod);
		const status = { conditions: [condition], ...(nominates ? { nominatedNodeName: nominated } : {}) };
		await this.#client.patch(PODS, keyOf(pod), { type: 'strategic', body: { status } }, { subresource: 'status', signal });
	}

	/** Marks the victim as disrupted, then deletes it with its own grace period. */
	async evict(victim: PodInfo, scheduler: string, signal: AbortSignal): Promise<void> {
		if (victim.pod.metadata.deletionTimestamp !== undefined) return;
		const text = `${scheduler}: preempting to accommodate a higher priority pod`;
		const condition = this.#condition('DisruptionTarget', 'True', 'PreemptionByScheduler', text, undefined, victim.pod);
		const gone = (error: unknown): void => {
			if (!(error instanceof StatusError && error.httpCode === 404)) throw error;
		};
		await this.#client
			.patch(PODS, victim.key, { type: 'strategic', body: { status: { conditions: [condition] } } }, { subresource: 'status', signal })
			.catch(gone);
		await this.#client.delete(PODS, victim.key, { uid: victim.uid, signal }).catch(gone);
	}

	#condition(type: string, status: string, reason: string, message: string, before: PodCondition | undefined, pod: Pod): object {
		return {
			type,
			status,
			reason,
			message,
			lastProbeTime: null,
			lastTransitionTime: before?.status === status ? before.lastTransitionTime : timeOf(this.#clock.now()),
			...observedGeneration(pod),
		};
	}
}
