/** Which objects a quota is about: its scopes, in the short form and as selectors. Pure. */
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../gen/types.ts';
import type { KubeObject } from '../resource.ts';
import type { QuotaEvaluator } from './evaluator.ts';

/** All must hold. */
export function scopesOf({ spec }: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
	return [
		...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
		...(spec?.scopeSelector?.matchExpressions ?? []),
	];
}

export function isInScopes(evaluator: QuotaEvaluator, object: KubeObject, quota: ResourceQuota): boolean {
	return scopesOf(quota).every((scope) => evaluator.inScope?.(object, scope) ?? false);
}

/** A scope with values, such as PriorityClass, against the object's own; '' when it has none. */
export function matchesScopeValue({ operator, values }: ScopedResourceSelectorRequirement, own: string): boolean {
	switch (operator) {
		case 'In':
			return own !== '' && (values ?? []).includes(own);
		case 'NotIn':
			return own === '' || !(values ?? []).includes(own);
		case 'DoesNotExist':
			return own === '';
		default:
			return own !== '';
	}
}
