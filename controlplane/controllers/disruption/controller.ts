/** Disruption budgets: how many of their pods may go, written to their status, which the eviction subresource counts down. */
import type { Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { DEPLOYMENTS, POD_DISRUPTION_BUDGETS, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, STATEFUL_SETS } from '../../../api/resources.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import type { Clock } from '../../../base/clock.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { awaited } from '../awaited.ts';
import type { Reconciler } from '../reconciler.ts';
import { budgetStatus, disruptedPods, expectedOf, failedStatus, goSelector, healthyPods, needsScale } from './budget.ts';
import { Scales } from './scale.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

/** Keys are budgets. */
export function disruptionController({ client, informers, clock, recorder }: Deps): Reconciler {
	const budgets = informers.get(POD_DISRUPTION_BUDGETS);
	const pods = informers.get(PODS);
	const scales = new Scales(client, informers);
	const ofPod = ({ before, after }: Change<Pod>): readonly Key[] => {
		const pod = after ?? before;
		if (pod === undefined) return [];
		const matching = budgets.lister
			.list(pod.metadata.namespace)
			.filter((b) => matchesLabelSelector(b.spec?.selector, pod.metadata.labels ?? {}));
		const [first] = matching;
		if (first === undefined) return [];
		if (matching.length > 1)
			recorder.event(
				referenceTo(PODS, pod),
				'Warning',
				'MultiplePodDisruptionBudgets',
				`Pod "${pod.metadata.namespace}"/"${pod.metadata.name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name}" arbitrarily.`,
			);
		return [keyOf(first)];
	};
	const about = (budget: PodDisruptionBudget) => referenceTo(POD_DISRUPTION_BUDGETS, budget);

	async function scaleOf(budget: PodDisruptionBudget, selected: readonly Pod[], signal: AbortSignal): Promise<number> {
		if (!needsScale(budget)) return 0;
		try {
			const { scale, unmanaged } = await scales.of(selected, signal);
			if (unmanaged.length > 0)
				recorder.event(
					about(budget),
					'Warning',
					'UnmanagedPods',
					`Pods selected by this PodDisruptionBudget (selector: ${goSelector(budget.spec?.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`,
				);
			return scale;
		} catch (error) {
			const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
			recorder.event(about(budget), 'Warning', 'CalculateExpectedPodCountFailed', message);
			throw error;
		}
	}

	async function sync(budget: PodDisruptionBudget, signal: AbortSignal): Promise<{ readonly afterMs: number } | void> {
		const selected = pods.lister
			.list(budget.metadata.namespace)
			.filter((pod) => matchesLabelSelector(budget.spec?.selector, pod.metadata.labels ?? {}));
		if (selected.length === 0) recorder.event(about(budget), 'Normal', 'NoPods', 'No matching pods found');
		const expected = expectedOf(budget, selected, await scaleOf(budget, selected, signal));
		const now = clock.now();
		const { waiting, late, recheckAt } = disruptedPods(budget, selected, now);
		const { namespace } = budget.metadata;
		for (const pod of late)
			recorder.event(
				referenceTo(PODS, pod),
				'Warning',
				'NotDeleted',
				`Pod was expected by PDB ${namespace}/${budget.metadata.name} to be deleted but it wasn't`,
			);
		const status = budgetStatus(budget, expected, healthyPods(selected, waiting, now), waiting, now);
		if (status !== undefined) await write(budget, status, signal);
		// A moment later: the time itself still counts as waiting.
		if (recheckAt !== undefined) return { afterMs: recheckAt - now + 1 };
	}

	async function write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus, signal: AbortSignal): Promise<void> {
		await client.update(POD_DISRUPTION_BUDGETS, { ...budget, status }, { subresource: 'status', signal });
	}

	return {
		sources: [
			keysFrom(budgets),
			keysFrom(pods, ofPod),
			// Their scale is read when pods change, as upstream does; they must be there by then.
			...[awaited(informers.get(DEPLOYMENTS)), awaited(informers.get(REPLICA_SETS))],
			...[awaited(informers.get(REPLICATION_CONTROLLERS)), awaited(informers.get(STATEFUL_SETS))],
		],
		async reconcile(key, signal) {
			const budget = budgets.lister.get(key);
			if (budget === undefined) return;
			try {
				return await sync(budget, signal);
			} catch (error) {
				if (codeOf(error) === 'Aborted' || signal.aborted) throw error;
				await write(budget, failedStatus(budget, messageOf(error), clock.now()), signal);
			}
		},
	};
}
