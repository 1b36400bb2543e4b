/** What the objects of a namespace use of a quota, counted afresh. Pure. */
import type { ResourceQuota, ResourceQuotaStatus } from '../../../api/gen/types.ts';
import { addTo, amountsOf, resourceList, type Amounts } from '../../../api/pod/amounts.ts';
import type { QuotaEvaluator } from '../../../api/quota/evaluator.ts';
import { isInScopes } from '../../../api/quota/scopes.ts';
import type { KubeObject } from '../../../api/resource.ts';

/** An evaluator, the names of the quota it counts, and the objects to count. */
export interface Counted {
	readonly evaluator: QuotaEvaluator;
	readonly names: readonly string[];
	readonly objects: readonly KubeObject[];
}

/** Names that nobody counts keep what the status says of them. */
export function quotaStatus(quota: ResourceQuota, counted: readonly Counted[], nowMs: number): ResourceQuotaStatus {
	const hard = amountsOf(quota.spec?.hard);
	const used = new Map([...amountsOf(quota.status?.used)].filter(([name]) => hard.has(name)));
	for (const { evaluator, names, objects } of counted) {
		const total: Amounts = new Map(names.map((name) => [name, { nano: 0n, format: 'DecimalSI' }]));
		for (const object of objects) {
			if (!isInScopes(evaluator, object, quota)) continue;
			for (const [name, amount] of evaluator.usage(object, nowMs)) if (total.has(name)) addTo(total, new Map([[name, amount]]));
		}
		for (const [name, amount] of total) used.set(name, amount);
	}
	return { hard: resourceList(hard), used: resourceList(used) };
}

/** Equal as amounts, however they are written. */
export function sameStatus(a: ResourceQuotaStatus, b: ResourceQuotaStatus | undefined): boolean {
	if (b?.hard === undefined || b.used === undefined) return false;
	return sameAmounts(a.hard, b.hard) && sameAmounts(a.used, b.used);
}

/** Of something, `a` says less is used than `b`. */
export function isLess(a: ResourceQuotaStatus, b: ResourceQuotaStatus | undefined): boolean {
	const used = amountsOf(a.used);
	return [...amountsOf(b?.used)].some(([name, { nano }]) => (used.get(name)?.nano ?? 0n) < nano);
}

function sameAmounts(a: ResourceQuotaStatus['hard'], b: ResourceQuotaStatus['hard']): boolean {
	const [x, y] = [amountsOf(a), amountsOf(b)];
	return x.size === y.size && [...x].every(([name, { nano }]) => y.get(name)?.nano === nano);
}
