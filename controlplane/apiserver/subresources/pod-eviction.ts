/** pods/eviction: deletes a pod unless its disruption budget forbids (upstream registry/core/pod/storage/eviction.go). */
import { withCondition } from '../../../api/conditions.ts';
import { invalidValue } from '../../../api/field-error.ts';
import type { Eviction, Pod, PodDisruptionBudget, Preconditions } from '../../../api/gen/types.ts';
import { splitKey } from '../../../api/resource.ts';
import { POD_DISRUPTION_BUDGETS, PODS } from '../../../api/resources.ts';
import { matchesLabelSelector } from '../../../api/selector/label.ts';
import { badRequest, conflict, forbidden, invalid, notFound, StatusError, unknownFailure } from '../../../api/status.ts';
import { timeOf } from '../../../api/time.ts';
import { retrying, type BackoffPolicy } from '../../../base/backoff.ts';
import type { Clock } from '../../../base/clock.ts';
import type { ApiRequest, ApiResponse, ObjectReader, ObjectWriter, SubresourceHandler } from '../contracts.ts';
import type { BodyCodec } from '../request/body-codec.ts';
import { checkDeleteRequest, type DeleteRequest } from '../registry/delete.ts';
import { CREATED } from './success.ts';

interface Context {
	readonly dryRun: boolean;
	readonly signal: AbortSignal;
}

interface Deps {
	readonly objects: ObjectReader;
	readonly writer: ObjectWriter;
	readonly codec: BodyCodec;
	readonly clock: Clock;
}

/** More pods than this may not wait for their deletion to be seen (upstream's MaxDisruptedPodSize). */
const MAX_DISRUPTED_PODS = 2000;
const RETRY_SECONDS = 10;
/** Upstream's EvictionsRetry. */
const ATTEMPTS = 20;
const PAUSE: BackoffPolicy = { initialMs: 500, maxMs: 500, factor: 1, jitter: 0.1 };
const EVICTION = { group: 'policy', version: 'v1', kind: 'Eviction' };

export function podEviction(deps: Deps): SubresourceHandler {
	return { group: '', resource: 'pods', subresource: 'eviction', handle: (request, target) => evict(deps, request, target) };
}

async function evict(deps: Deps, request: ApiRequest, target: { readonly namespace: string; readonly name: string }): Promise<ApiResponse> {
	const { codec } = deps;
	const eviction = await codec.read<Eviction>(request, EVICTION);
	if (eviction.metadata.name !== target.name) throw badRequest('name in URL does not match name in Eviction object');
	const options = optionsOf(eviction, request.query.getAll('dryRun'));
	const key = `${target.namespace}/${target.name}`;
	if (deps.objects.get(PODS, key) === undefined) throw notFound(PODS, target.name);
	checkDeleteRequest(options);
	const context = { dryRun: options.dryRun.length > 0, signal: request.signal };
	const own = options.preconditions?.resourceVersion;
	const disturbing = await removeUndisturbing(deps, key, options, context);
	if (disturbing === undefined) return codec.write(request, 201, CREATED);
	const unhealthyOf = await askBudgets(deps, disturbing, context);
	const seen = unhealthyOf === undefined ? undefined : disturbing.metadata.resourceVersion;
	try {
		await remove(deps, disturbing, withVersion(options, own ?? seen), context);
	} catch (error) {
		if (!isConflict(error) || own !== undefined || unhealthyOf === undefined) throw error;
		// It changed since it was looked at, and may count as healthy by now.
		throw tooMany(`The disruption budget ${unhealthyOf} is still being processed by the server.`, RETRY_SECONDS);
	}
	return codec.write(request, 201, CREATED);
}

/** Removes a pod that budgets do not count; else answers it. One that has not started must still be as it was seen. StatusErrors. */
function removeUndisturbing(deps: Deps, key: string, options: DeleteRequest, context: Context): Promise<Pod | undefined> {
	const { uid, resourceVersion: own } = options.preconditions ?? {};
	// Another pod than the one that is meant does not become it.
	let isMeant = true;
	const work = async (): Promise<Pod | undefined> => {
		const pod = deps.objects.get(PODS, key);
		if (pod === undefined) throw notFound(PODS, splitKey(key).name);
		if (!ignoresBudgets(pod)) return pod;
		isMeant = uid === undefined || uid === pod.metadata.uid;
		const hasNotStarted = pod.status?.phase === 'Pending' && pod.metadata.deletionTimestamp === undefined;
		await remove(deps, pod, withVersion(options, own ?? (hasNotStarted ? pod.metadata.resourceVersion : undefined)), context);
		return undefined;
	};
	return patiently(deps, context, work, () => own === undefined && isMeant);
}

/** Takes a disruption of the budget that guards the pod. The budget's name where it lets the pod go for being unhealthy. StatusErrors. */
async function askBudgets(deps: Deps, pod: Pod, context: Context): Promise<string | undefined> {
	const { objects, writer, clock } = deps;
	const { namespace = '', name = '', labels = {} } = pod.metadata;
	const budgets = objects.list(POD_DISRUPTION_BUDGETS, namespace).filter((b) => matchesLabelSelector(b.spec?.selector, labels));
	if (budgets.length > 1)
		throw unknownFailure('This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.');
	const [budget] = budgets;
	if (budget === undefined) return undefined;
	const of = budget.metadata.name ?? '';
	if (mayGoUnhealthy(pod, budget)) return of;
	const take = (): Promise<unknown> =>
		writer.change(POD_DISRUPTION_BUDGETS, `${namespace}/${of}`, (now) => disrupted(now, name, clock.now()), {
			...context,
			tracked: 'status',
			once: true,
		});
	await patiently(deps, context, take);
	return undefined;
}

/** As often as upstream, with its pauses, while others are faster. The last conflict is what it fails with. */
function patiently<T>({ clock }: Deps, { signal }: Context, work: () => Promise<T>, mayRetry = (): boolean => true): Promise<T> {
	return retrying(clock, PAUSE, signal, work, (error, attempt) => isConflict(error) && mayRetry() && attempt < ATTEMPTS - 1);
}

function isConflict(error: unknown): boolean {
	return error instanceof StatusError && error.reason === 'Conflict';
}

function withVersion(options: DeleteRequest, resourceVersion: string | undefined): DeleteRequest {
	return resourceVersion === undefined ? options : { ...options, preconditions: { ...options.preconditions, resourceVersion } };
}

/** Marks the pod as evicted and deletes that very pod. StatusError Conflict where it is not the one that is meant. */
async function remove({ writer, clock }: Deps, { metadata }: Pod, options: DeleteRequest, context: Context): Promise<void> {
	const key = `${metadata.namespace}/${metadata.name}`;
	const { preconditions = {} } = options;
	let { resourceVersion } = preconditions;
	if (!context.dryRun) {
		const mark = (now: Pod): Pod => {
			checkIsMeant(now, preconditions);
			return withDisruptionTarget(now, clock.now());
		};
		const marked = await writer.change(PODS, key, mark, context);
		if (resourceVersion !== undefined) ({ resourceVersion } = marked.metadata);
	}
	const uid = preconditions.uid ?? metadata.uid;
	const meant = { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
	await writer.delete(PODS, key, { ...options, preconditions: meant }, context);
}

/** The request and what it posts may both ask for a dry run, but not for different ones. StatusErrors. */
function optionsOf(
	{ metadata, deleteOptions = {} }: Eviction,
	asked: readonly string[],
): DeleteRequest & { readonly dryRun: readonly string[] } {
	if (deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential === true) {
		const why = 'can not be set for pod eviction, try after removing the option';
		throw invalid(EVICTION, metadata.name ?? '', [
			invalidValue('deleteOptions.ignoreStoreReadErrorWithClusterBreakingPotential', true, why),
		]);
	}
	const own = deleteOptions.dryRun ?? [];
	if (own.length > 0 && asked.length > 0 && own.join(' ') !== asked.join(' '))
		throw unknownFailure(`Non-matching dry-run options in request and content: [${asked.join(' ')}] and [${own.join(' ')}]`);
	return { ...(deleteOptions as DeleteRequest), dryRun: own.length > 0 ? own : asked };
}

function checkIsMeant({ metadata }: Pod, { uid, resourceVersion }: Preconditions): void {
	const refuse = (what: string, wanted: string, is: string | undefined, then: string): StatusError =>
		conflict(
			{ group: '', plural: 'Pod' },
			metadata.name ?? '',
			`the ${what} in the precondition (${wanted}) does not match the ${what} in record (${is}). The object might have been ${then}`,
		);
	if (uid !== undefined && uid !== '' && uid !== metadata.uid) throw refuse('UID', uid, metadata.uid, 'deleted and then recreated');
	if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== metadata.resourceVersion)
		throw refuse('ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified');
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

/** The budget with one disruption taken; StatusError TooManyRequests where none is left, Forbidden for a status that cannot be. Pure. */
function disrupted(budget: PodDisruptionBudget, pod: string, now: number): PodDisruptionBudget {
	const status = budget.status;
	if ((status?.observedGeneration ?? 0) < (budget.metadata.generation ?? 0))
		throw tooMany(`The disruption budget ${budget.metadata.name} is still being processed by the server.`, RETRY_SECONDS);
	const { disruptionsAllowed: allowed = 0, disruptedPods = {}, observedGeneration = 0 } = status ?? {};
	const forbid = (why: string): StatusError =>
		forbidden({ group: POD_DISRUPTION_BUDGETS.group, plural: 'poddisruptionbudget' }, budget.metadata.name ?? '', why);
	if (allowed < 0) throw forbid('pdb disruptions allowed is negative');
	if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS)
		throw forbid('DisruptedPods map too big - too many evictions not confirmed by PDB controller');
	if (allowed === 0) throw tooMany(whyNone(budget), 0);
	const insufficient = { type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '', observedGeneration };
	const conditions = allowed === 1 ? { conditions: withCondition(status?.conditions, insufficient, now) } : {};
	return {
		...budget,
		status: { ...status, ...conditions, disruptionsAllowed: allowed - 1, disruptedPods: { ...disruptedPods, [pod]: timeOf(now) } },
	};
}

/** Why a budget allows nothing: what its controller said, where that says more than the numbers. */
function whyNone({ metadata: { name = '' }, status }: PodDisruptionBudget): string {
	const { desiredHealthy = 0, currentHealthy = 0, conditions = [] } = status ?? {};
	const said = conditions.find((c) => c.type === 'DisruptionAllowed' && c.status === 'False' && (c.message ?? '') !== '');
	const budget = `The disruption budget ${name}`;
	if (said?.reason === 'SyncFailed') return `${budget} does not allow evicting pods currently because it failed sync: ${said.message}`;
	if (currentHealthy <= desiredHealthy) return `${budget} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
	if (said !== undefined) return `${budget} does not allow evicting pods currently (${said.reason}): ${said.message}`;
	return `${budget} does not allow evicting pods currently`;
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
	const evicted = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };
	return { ...pod, status: { ...pod.status, conditions: withCondition(pod.status?.conditions, evicted, now) } };
}
