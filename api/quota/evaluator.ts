/** What a resource quota knows of one resource: when it is charged, for what, and in which scopes (upstream apiserver pkg/quota/v1 Evaluator). */
import type { ScopedResourceSelectorRequirement } from '../gen/types.ts';
import type { Amounts } from '../pod/amounts.ts';
import type { KubeObject } from '../resource.ts';

export interface QuotaEvaluator {
	readonly group: string;
	readonly resource: string;
	/** Whether a write of this kind may change what is used. @param before as it is stored; undefined where it is new */
	charges(subresource: string, object: KubeObject, before: KubeObject | undefined): boolean;
	/** Those of the names that this resource uses up. */
	matching(names: readonly string[]): readonly string[];
	/** @param nowMs wall time: what has ended is no longer counted */
	usage(object: KubeObject, nowMs: number): Amounts;
	/** What the object would have to state to be counted under these names: "must specify …". */
	unstated?(object: KubeObject, names: readonly string[]): string | undefined;
	/** A resource without scopes is in none. */
	inScope?(object: KubeObject, scope: ScopedResourceSelectorRequirement): boolean;
}

const NANO = 1_000_000_000n;

/** So many things. */
export function count(names: readonly string[], amount = 1): Amounts {
	return new Map(names.map((name) => [name, { nano: BigInt(amount) * NANO, format: 'DecimalSI' as const }]));
}

/** "count/pods", "count/deployments.apps". */
export function objectCountName(group: string, resource: string): string {
	return `count/${group === '' ? resource : `${resource}.${group}`}`;
}
