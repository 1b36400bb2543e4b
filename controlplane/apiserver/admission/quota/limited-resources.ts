/** What may be used only where a quota covers it, by the configuration of ResourceQuota. Pure. */
import type { ScopedResourceSelectorRequirement } from '../../../../api/gen/types.ts';
import type { Amounts } from '../../../../api/pod/amounts.ts';
import type { QuotaEvaluator } from '../../../../api/quota/evaluator.ts';
import type { KubeObject } from '../../../../api/resource.ts';

/** One of apiserver.config.k8s.io/v1 ResourceQuotaConfiguration. */
export interface LimitedResource {
	readonly apiGroup?: string | undefined;
	readonly resource: string;
	/** Names of amounts in which one of these occurs. */
	readonly matchContains?: readonly string[] | undefined;
	readonly matchScopes?: readonly ScopedResourceSelectorRequirement[] | undefined;
}

/** The names of what is used, and limited, sorted. */
export function limitedNames(limited: readonly LimitedResource[], { group, resource }: QuotaEvaluator, usage: Amounts): readonly string[] {
	const parts = limited
		.filter((one) => (one.apiGroup ?? '') === group && one.resource === resource)
		.flatMap(({ matchContains = [] }) => matchContains);
	return [...usage].flatMap(([name, { nano }]) => (nano > 0n && parts.some((part) => name.includes(part)) ? [name] : [])).toSorted();
}

/** Limited scopes that the object is in, whichever resource they are said of, as upstream has it. */
export function limitedScopes(
	limited: readonly LimitedResource[],
	evaluator: QuotaEvaluator,
	object: KubeObject,
): readonly ScopedResourceSelectorRequirement[] {
	return limited.flatMap(({ matchScopes = [] }) => matchScopes.filter((scope) => evaluator.inScope?.(object, scope) ?? false));
}

/** Go's %v of selectors. */
export function scopesText(scopes: readonly ScopedResourceSelectorRequirement[]): string {
	return `[${scopes.map(({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(' ')}]}`).join(' ')}]`;
}
