/** Quotas on pods: their number, requests, limits and extended resources (upstream pkg/quota/v1/evaluator/core/pods.go). Pure. */
import type { Container, Pod, ScopedResourceSelectorRequirement } from '../gen/types.ts';
import { addTo, amountsOf, type Amounts } from '../pod/amounts.ts';
import { isTerminal } from '../pod/phase.ts';
import { qosClass } from '../pod/qos.ts';
import { isPodLevelResource, podLimits, podRequests } from '../pod/resources.ts';
import type { KubeObject } from '../resource.ts';
import { count, objectCountName, type QuotaEvaluator } from './evaluator.ts';
import { matchesScopeValue } from './scopes.ts';

const COUNT = objectCountName('', 'pods');
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const NAMES = new Set([COUNT, 'pods', ...COMPUTE, ...COMPUTE.flatMap((name) => [`requests.${name}`, `limits.${name}`])]);
/** A quota on these makes every container state them. */
const TO_BE_STATED = new Set(['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']);

export const podQuota: QuotaEvaluator = {
	group: '',
	resource: 'pods',
	// A deadline moves a pod from one scope to another.
	charges: (subresource, object, before) =>
		subresource === ''
			? before === undefined || isTerminating(object) !== isTerminating(before)
			: subresource === 'resize' && before !== undefined,
	matching: (names) => names.filter((name) => NAMES.has(name) || isHugePages(name) || isExtendedRequest(name)),
	usage(object, nowMs) {
		const pod = object as Pod;
		const usage = count([COUNT]);
		return isOver(pod, nowMs) ? usage : addTo(addTo(usage, count(['pods'])), named(podRequests(pod), podLimits(pod)));
	},
	unstated(object, names) {
		const required = names.filter((name) => TO_BE_STATED.has(name)).sort();
		const { spec } = object as Pod;
		const { requests = {}, limits = {} } = spec?.resources ?? {};
		if (Object.keys({ ...requests, ...limits }).some(isPodLevelResource)) return undefined;
		const all = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
		const problems = required
			.map((name) => [name, [...new Set(all.filter((c) => !statedBy(c.resources).has(name)).map((c) => c.name))].sort()] as const)
			.filter(([, lacking]) => lacking.length > 0)
			.map(([name, lacking]) => `${name} for: ${lacking.join(',')}`);
		return problems.length === 0 ? undefined : `must specify ${problems.join('; ')}`;
	},
	inScope,
};

function statedBy(resources: Container['resources']): Amounts {
	return named(amountsOf(resources?.requests), amountsOf(resources?.limits));
}

/** Requests and limits under the names that quotas give them. */
function named(requests: Amounts, limits: Amounts): Amounts {
	const out: Amounts = new Map();
	for (const [name, amount] of requests)
		if (COMPUTE.includes(name) || name.startsWith('hugepages-')) out.set(name, amount).set(`requests.${name}`, amount);
		else if (isExtended(name)) out.set(`requests.${name}`, amount);
	for (const [name, amount] of limits) if (COMPUTE.includes(name)) out.set(`limits.${name}`, amount);
	return out;
}

/** A pod that has ended, or should have by now, uses nothing but its place in the store (QuotaV1Pod). */
function isOver(pod: Pod, nowMs: number): boolean {
	const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
	if (isTerminal(pod)) return true;
	if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
	return nowMs > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function isHugePages(name: string): boolean {
	return name.startsWith('hugepages-') || name.startsWith('requests.hugepages-');
}

function isNative(name: string): boolean {
	return !name.includes('/') || name.includes('kubernetes.io/');
}

function isExtended(name: string): boolean {
	return !isNative(name) && !name.startsWith('requests.');
}

function isExtendedRequest(name: string): boolean {
	return !isNative(name) && name.startsWith('requests.');
}

function inScope(object: KubeObject, scope: ScopedResourceSelectorRequirement): boolean {
	const pod = object as Pod;
	const { spec } = pod;
	switch (scope.scopeName) {
		case 'Terminating':
			return isTerminating(object);
		case 'NotTerminating':
			return !isTerminating(object);
		case 'BestEffort':
			return qosClass(pod) === 'BestEffort';
		case 'NotBestEffort':
			return qosClass(pod) !== 'BestEffort';
		case 'PriorityClass':
			return matchesScopeValue(scope, spec?.priorityClassName ?? '');
		case 'CrossNamespacePodAffinity':
			return crossesNamespaces(pod);
		default:
			return false;
	}
}

function isTerminating(object: KubeObject): boolean {
	return ((object as Pod).spec?.activeDeadlineSeconds ?? -1) >= 0;
}

function crossesNamespaces({ spec }: Pod): boolean {
	const terms = [spec?.affinity?.podAffinity, spec?.affinity?.podAntiAffinity].flatMap((affinity) => [
		...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
		...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((weighted) => weighted.podAffinityTerm),
	]);
	return terms.some((term) => (term.namespaces ?? []).length > 0 || term.namespaceSelector !== undefined);
}
