/** Whether a policy or binding is about a request (MatchResources): selectors, rules, exclusions. */
import type { MatchResources, NamedRuleWithOperations } from '../../../../api/gen/types.ts';
import type { AdmissionAttributes, ObjectReader } from '../../contracts.ts';
import { matchesNamedRule } from './rules.ts';
import { matchesNamespaceSelector, matchesObjectSelector } from './selectors.ts';
import { requestedOf, type Named, type Versions } from './versions.ts';

export interface Matching {
	readonly objects: ObjectReader;
	readonly versions: Versions;
}

/** The version in which to look at the request; undefined: not at all. Throws where a selector cannot be applied. */
export function matchedBy(
	match: MatchResources | undefined,
	attributes: AdmissionAttributes,
	{ objects, versions }: Matching,
): Named | undefined {
	const requested = requestedOf(attributes);
	if (match === undefined) return requested;
	let failure: { readonly error: unknown } | undefined;
	try {
		if (!matchesNamespaceSelector(match, attributes, objects)) return undefined;
	} catch (error) {
		failure = { error };
	}
	if (!matchesObjectSelector(match, attributes)) return undefined;
	const exact = match.matchPolicy === 'Exact';
	const found = (rules: readonly NamedRuleWithOperations[]): Named | undefined => {
		if (rules.some((rule) => matchesNamedRule(rule, requested, attributes))) return requested;
		if (exact) return undefined;
		const others = versions.equivalents(requested);
		for (const rule of rules) {
			const named = others.find((other) => matchesNamedRule(rule, other, attributes));
			if (named !== undefined) return named;
		}
		return undefined;
	};
	if (found(match.excludeResourceRules ?? []) !== undefined) return undefined;
	const rules = match.resourceRules ?? [];
	const named = rules.length === 0 ? requested : found(rules);
	if (named !== undefined && failure !== undefined) throw failure.error;
	return named;
}
