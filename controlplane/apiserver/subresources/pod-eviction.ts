/** pods/eviction: deletes a pod unless its disruption budget forbids (upstream registry/core/pod/storage/eviction.go). */
import type { Eviction, Pod, PodDisruptionBudget, Preconditions } from '../../../api/gen/types.ts';
import { POD_DISRUPTION_BUDGETS, PODS } from '../../../api/resources.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import { badRequest, notFound, StatusError } from '../../../api/status.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ApiRequest, ApiResponse, BodyCodec, ObjectReader, ObjectWriter, SubresourceHandler } from '../contracts.ts';
import { dryRunCauses, optionsInvalid } from '../request/options.ts';
import { checkPlace, CREATED, isDryRun } from './success.ts';

interface Deps {
	readonly objects: ObjectReader;
	readonly writer: ObjectWriter;
	readonly codec: BodyCodec;
	readonly clock: Clock;
}

/** More pods than this may not wait for their deletion to be seen (upstream's MaxDisruptedPodSize). */
const MAX_DISRUPTED_PODS = 2000;
const RETRY_SECONDS = 10;

export function podEviction(deps: Deps): SubresourceHandler {
	return { group: '', resource: 'pods', subresource: 'eviction', handle: (request, target) => evict(deps, request, target) };
}

async function evict(deps: Deps, request: ApiRequest, target: { readonly namespace: string; readonly name: string }): Promise<ApiResponse> {
	const { objects, writer, codec, clock } = deps;
	const eviction = await codec.read<Eviction>(request, { group: 'policy', version: 'v1', kind: 'Eviction' });
	if (eviction === undefined) throw badRequest('no data provided');
	checkPlace(eviction.metadata.namespace, target.namespace);
	if (eviction.metadata.name !== target.name) throw badRequest('name in URL does not match name in Eviction object');
	const key = `${target.namespace}/${target.name}`;
	const pod = objects.get(PODS, key);
	if (pod === undefined) throw notFound(PODS, target.name);
	const options = eviction.deleteOptions ?? {};
	const causes = dryRunCauses(options.dryRun ?? []);
	if (causes.length > 0) throw optionsInvalid('DeleteOptions', causes);
	const dryRun = isDryRun(request.query) || (options.dryRun ?? []).includes('All');
	const context = { dryRun, signal: request.signal };
	if (!ignoresBudgets(pod)) {
		const budgets = objects
			.list(POD_DISRUPTION_BUDGETS, target.namespace)
			.filter((b) => matchesLabelSelector(b.spec?.selector, pod.metadata.labels ?? {}));
		if (budgets.length > 1)
			throw new StatusError({
				metadata: {},
				status: 'Failure',
				message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
				code: 500,
			});
		const [budget] = budgets;
		if (budget !== undefined && !mayGoUnhealthy(pod, budget))
			await writer.change(
				POD_DISRUPTION_BUDGETS,
				`${target.namespace}/${budget.metadata.name}`,
				(now) => disrupted(now, target.name, clock.now()),
				context,
			);
	}
	if (meets(pod, options.preconditions)) await writer.change(PODS, key, (now) => withDisruptionTarget(now, clock.now()), context);
	const uid = options.preconditions?.uid ?? pod.metadata.uid;
	await writer.delete(PODS, key, { ...options, preconditions: { ...options.preconditions, uid } }, context);
	return codec.write(request, 201, CREATED);
}

/** Where the preconditions fail, the deletion says so. */
function meets({ metadata }: Pod, { uid, resourceVersion }: Preconditions = {}): boolean {
	const fails = (wanted: string | undefined, is: string | undefined): boolean => wanted !== undefined && wanted !== is;
	return !fails(uid, metadata.uid) && !fails(resourceVersion, metadata.resourceVersion);
}

/** Pods that are over, not started or going anyway disturb nobody. */
function ignoresBudgets(pod: Pod): boolean {
	const phase = pod.status?.phase ?? '';
	return phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined;
}

/** Running but unready pods may go when the budget's policy says so, or when the budget is healthy without them. */
function mayGoUnhealthy(pod: Pod, budget: PodDisruptionBudget): boolean {
	if ((pod.status?.conditions ?? []).some((c) => c.type === 'Ready' && c.status === 'True')) return false;
	if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
	const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
	return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** The budget with one disruption taken; StatusError TooManyRequests where none is left. Pure. */
export function disrupted(budget: PodDisruptionBudget, pod: string, now: number): PodDisruptionBudget {
	const status = budget.status;
	if ((status?.observedGeneration ?? 0) < (budget.metadata.generation ?? 0))
		throw tooMany(`The disruption budget ${budget.metadata.name} is still being processed by the server.`, RETRY_SECONDS);
	const allowed = status?.disruptionsAllowed ?? 0;
	if (Object.keys(status?.disruptedPods ?? {}).length > MAX_DISRUPTED_PODS)
		throw tooMany(`DisruptedPods map too big - too many evictions not confirmed by PDB controller`, 0);
	if (status === undefined || allowed <= 0)
		throw tooMany(
			`The disruption budget ${budget.metadata.name} needs ${status?.desiredHealthy ?? 0} healthy pods and has ${status?.currentHealthy ?? 0} currently`,
			0,
		);
	const time = timeOf(now);
	const conditions = (status.conditions ?? []).map((c) =>
		allowed === 1 && c.type === 'DisruptionAllowed'
			? { ...c, status: 'False', reason: 'InsufficientPods', message: '', lastTransitionTime: time }
			: c,
	);
	return {
		...budget,
		status: { ...status, conditions, disruptionsAllowed: allowed - 1, disruptedPods: { ...status.disruptedPods, [pod]: time } },
	};
}

function tooMany(cause: string, retryAfterSeconds: number): StatusError {
	return new StatusError({
		metadata: {},
		status: 'Failure',
		message: "Cannot evict pod as it would violate the pod's disruption budget.",
		reason: 'TooManyRequests',
		details: { causes: [{ reason: 'DisruptionBudget', message: cause }], ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }) },
		code: 429,
	});
}

function withDisruptionTarget(pod: Pod, now: number): Pod {
	const condition = {
		type: 'DisruptionTarget',
		status: 'True',
		reason: 'EvictionByEvictionAPI',
		message: 'Eviction API: evicting',
		lastTransitionTime: timeOf(now),
	};
	return {
		...pod,
		status: { ...pod.status, conditions: [...(pod.status?.conditions ?? []).filter((c) => c.type !== 'DisruptionTarget'), condition] },
	};
}
