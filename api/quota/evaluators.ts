/** The evaluator of every resource: a few have their own, all others are counted. */
import { deviceClaimQuota, volumeClaimQuota } from './claims.ts';
import type { QuotaEvaluator } from './evaluator.ts';
import { objectCount } from './object-count.ts';
import { podQuota } from './pods.ts';
import { serviceQuota } from './services.ts';

/** Resources that are named in quotas without "count/" too. */
const ALIASED = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'];

const OWN: readonly QuotaEvaluator[] = [
	podQuota,
	serviceQuota,
	volumeClaimQuota,
	deviceClaimQuota,
	...ALIASED.map((resource) => objectCount('', resource, resource)),
];
const BY_RESOURCE = new Map(OWN.map((evaluator) => [`${evaluator.group}/${evaluator.resource}`, evaluator]));

/** Upstream's ignoredResources: what is not kept, and Events, which no quota has ever counted. */
const IGNORED = new Set([
	'/bindings',
	'/componentstatuses',
	'/events',
	'events.k8s.io/events',
	'authentication.k8s.io/tokenreviews',
	'authentication.k8s.io/selfsubjectreviews',
	'authorization.k8s.io/subjectaccessreviews',
	'authorization.k8s.io/selfsubjectaccessreviews',
	'authorization.k8s.io/localsubjectaccessreviews',
	'authorization.k8s.io/selfsubjectrulesreviews',
]);

/** Whatever a quota says of them. */
export function isIgnored(group: string, resource: string): boolean {
	return IGNORED.has(`${group}/${resource}`);
}

export function quotaEvaluator(group: string, resource: string): QuotaEvaluator {
	return BY_RESOURCE.get(`${group}/${resource}`) ?? objectCount(group, resource);
}

/** The evaluators that count towards any of these names of a quota, each with its names; a name nobody knows is in none. */
export function evaluatorsFor(
	names: readonly string[],
): readonly { readonly evaluator: QuotaEvaluator; readonly names: readonly string[] }[] {
	const counted = names.flatMap((name) => {
		const [, resource = '', group = ''] = /^count\/([^.]+)(?:\.(.+))?$/.exec(name) ?? [];
		const isCounted = resource !== '' && !isIgnored(group, resource) && !BY_RESOURCE.has(`${group}/${resource}`);
		return isCounted ? [objectCount(group, resource)] : [];
	});
	return [...OWN, ...counted]
		.map((evaluator) => ({ evaluator, names: evaluator.matching(names) }))
		.filter((found) => found.names.length > 0);
}
