/** Quotas on how many objects of a resource there are. */
import type { QuotaEvaluator } from './evaluator.ts';
import { count, objectCountName } from './evaluator.ts';

/** @param alias the older name without "count/", where there is one */
export function objectCount(group: string, resource: string, alias?: string): QuotaEvaluator {
	const counted = [objectCountName(group, resource), ...(alias === undefined ? [] : [alias])];
	return {
		group,
		resource,
		charges: (subresource, _object, before) => before === undefined && subresource === '',
		matching: (names) => names.filter((name) => counted.includes(name)),
		usage: () => count(counted),
	};
}
