/** What one RBAC rule allows, as upstream's pkg/registry/rbac decides it: pure. */
import type { PolicyRule } from '../../../api/gen/types.ts';
import type { Attributes } from '../contracts.ts';

/** True when the rule alone allows what is asked. */
export function ruleAllows(rule: PolicyRule, asked: Attributes): boolean {
	if (!has(rule.verbs, asked.verb)) return false;
	if (asked.type === 'path') return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, asked.path));
	if (!has(rule.apiGroups, asked.group)) return false;
	if (!resourceMatches(rule.resources, asked.resource, asked.subresource)) return false;
	const names = rule.resourceNames ?? [];
	return names.length === 0 || names.includes(asked.name);
}

function has(list: readonly string[] | undefined, value: string): boolean {
	return list !== undefined && (list.includes('*') || list.includes(value));
}

function resourceMatches(resources: readonly string[] | undefined, resource: string, subresource: string): boolean {
	if (resources === undefined) return false;
	const combined = subresource === '' ? resource : `${resource}/${subresource}`;
	if (resources.includes('*') || resources.includes(combined)) return true;
	return subresource !== '' && resources.includes(`*/${subresource}`);
}

/** A URL of a rule is a path, or a prefix ending in "*". */
export function urlMatches(url: string, path: string): boolean {
	if (url === '*' || url === path) return true;
	return url.endsWith('*') && path.startsWith(url.replace(/\*+$/, ''));
}
