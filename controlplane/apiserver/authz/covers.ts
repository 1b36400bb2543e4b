/** Whether one set of RBAC rules covers another, for the escalation check: pure, as upstream's component-helpers/auth/rbac/validation. */
import type { PolicyRule } from '../../../api/gen/types.ts';
import { urlMatches } from './rules.ts';

/** The part of `wanted` that `held` does not cover, broken down to single verbs and resources; empty when all is covered. */
export function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
	return wanted.flatMap(breakdown).filter((one) => !held.some((rule) => covers(rule, one)));
}

/** One rule as rules of a single verb and a single resource (and name) or URL each. */
function breakdown(rule: PolicyRule): PolicyRule[] {
	const out: PolicyRule[] = [];
	for (const group of rule.apiGroups ?? [])
		for (const resource of rule.resources ?? [])
			for (const verb of rule.verbs) {
				const names = rule.resourceNames ?? [];
				if (names.length === 0) out.push({ apiGroups: [group], resources: [resource], verbs: [verb] });
				for (const name of names) out.push({ apiGroups: [group], resources: [resource], verbs: [verb], resourceNames: [name] });
			}
	for (const url of rule.nonResourceURLs ?? []) for (const verb of rule.verbs) out.push({ nonResourceURLs: [url], verbs: [verb] });
	return out;
}

function covers(owner: PolicyRule, sub: PolicyRule): boolean {
	if (!hasAll(owner.verbs, sub.verbs) || !hasAll(owner.apiGroups ?? [], sub.apiGroups ?? [])) return false;
	if (!(sub.resources ?? []).every((resource) => resourceCovered(owner.resources ?? [], resource))) return false;
	if (!(sub.nonResourceURLs ?? []).every((url) => (owner.nonResourceURLs ?? []).some((own) => urlMatches(own, url)))) return false;
	const ownNames = owner.resourceNames ?? [];
	const subNames = sub.resourceNames ?? [];
	return ownNames.length === 0 || (subNames.length > 0 && subNames.every((name) => ownNames.includes(name)));
}

function hasAll(set: readonly string[], wanted: readonly string[]): boolean {
	return set.includes('*') || wanted.every((one) => set.includes(one));
}

function resourceCovered(owner: readonly string[], resource: string): boolean {
	if (owner.includes('*') || owner.includes(resource)) return true;
	const slash = resource.indexOf('/');
	return slash >= 0 && owner.includes(`*${resource.slice(slash)}`);
}

/** The rules as upstream's error lists them: verbs of the same resource joined, one line a rule, sorted. */
export function describeRules(rules: readonly PolicyRule[]): string {
	const merged = new Map<string, PolicyRule>();
	const lines = new Set<string>();
	for (const rule of rules) {
		if (rule.nonResourceURLs !== undefined) {
			lines.add(describe(rule));
			continue;
		}
		const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
		const before = merged.get(key);
		merged.set(key, before === undefined ? rule : { ...before, verbs: [...before.verbs, ...rule.verbs] });
	}
	for (const rule of merged.values()) lines.add(describe(rule));
	return [...lines].sort().join('\n');
}

function describe(rule: PolicyRule): string {
	const parts: string[] = [];
	const add = (name: string, values: readonly string[] | undefined): void => {
		if (values !== undefined && values.length > 0) parts.push(`${name}:[${values.map((v) => JSON.stringify(v)).join(' ')}]`);
	};
	add('APIGroups', rule.apiGroups);
	add('Resources', rule.resources);
	add('NonResourceURLs', rule.nonResourceURLs);
	add('ResourceNames', rule.resourceNames);
	add('Verbs', rule.verbs);
	return `{${parts.join(', ')}}`;
}
