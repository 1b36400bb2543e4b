/** Upstream's audit Policy (audit.k8s.io/v1): how much is written down of which request. Read from its file, checked, and asked. Pure. */
import { parse } from 'yaml';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { Attributes } from '../contracts.ts';

export const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof LEVELS)[number];
export const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type Stage = (typeof STAGES)[number];

interface GroupResources {
	readonly group?: string;
	readonly resources?: readonly string[];
	readonly resourceNames?: readonly string[];
}

export interface PolicyRule {
	readonly level: Level;
	readonly users?: readonly string[];
	readonly userGroups?: readonly string[];
	readonly verbs?: readonly string[];
	readonly resources?: readonly GroupResources[];
	readonly namespaces?: readonly string[];
	readonly nonResourceURLs?: readonly string[];
	readonly omitStages?: readonly Stage[];
	readonly omitManagedFields?: boolean;
}

export interface AuditPolicy {
	readonly rules: readonly PolicyRule[];
	readonly omitStages?: readonly Stage[];
	readonly omitManagedFields?: boolean;
}

/** What is to be written down of one request. */
export interface Verdict {
	readonly level: Level;
	readonly omitStages: readonly Stage[];
	readonly omitManagedFields: boolean;
}

const SILENT: Verdict = { level: 'None', omitStages: [], omitManagedFields: false };

export function includes(level: Level, wanted: Level): boolean {
	return LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);
}

/** The first rule that matches decides; where none does, nothing is written. */
export function verdictOf(policy: AuditPolicy, asked: Attributes): Verdict {
	for (const rule of policy.rules) {
		if (!matches(rule, asked)) continue;
		return {
			level: rule.level,
			omitStages: [...(policy.omitStages ?? []), ...(rule.omitStages ?? [])],
			omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
		};
	}
	return SILENT;
}

function matches(rule: PolicyRule, asked: Attributes): boolean {
	const { users = [], userGroups = [], verbs = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule;
	if (users.length > 0 && !users.includes(asked.user.name)) return false;
	if (userGroups.length > 0 && !userGroups.some((group) => asked.user.groups.includes(group))) return false;
	if (verbs.length > 0 && !verbs.includes(asked.verb)) return false;
	if (namespaces.length > 0 || resources.length > 0) {
		if (asked.type === 'path' || (namespaces.length > 0 && !namespaces.includes(asked.namespace))) return false;
		return resources.length === 0 || resources.some((one) => isOne(one, asked));
	}
	return nonResourceURLs.length === 0 || (asked.type === 'path' && nonResourceURLs.some((url) => isPath(url, asked.path)));
}

function isPath(url: string, path: string): boolean {
	return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.replace(/\*+$/, '')));
}

function isOne(
	{ group = '', resources = [], resourceNames = [] }: GroupResources,
	asked: Attributes & { readonly type: 'resource' },
): boolean {
	if (group !== '*' && group !== asked.group) return false;
	if (resources.length === 0) return true;
	if (resourceNames.length > 0 && !resourceNames.includes(asked.name)) return false;
	const { resource, subresource } = asked;
	const whole = subresource === '' ? resource : `${resource}/${subresource}`;
	return resources.some(
		(wanted) => wanted === '*' || wanted === whole || (subresource !== '' && wanted === `*/${subresource}`) || wanted === `${resource}/*`,
	);
}

/** AppError InvalidArgument names every fault. */
export function parsePolicy(text: string, source: string): AuditPolicy {
	let value: unknown;
	try {
		value = parse(text);
	} catch (cause) {
		throw new AppError('InvalidArgument', `Cannot read the audit policy "${source}": ${messageOf(cause)}`, { cause });
	}
	const faults = faultsOf(value);
	if (faults.length > 0) throw new AppError('InvalidArgument', `The audit policy "${source}" is wrong: ${faults.join('; ')}`);
	return value as AuditPolicy;
}

function faultsOf(value: unknown): readonly string[] {
	const policy = (value ?? {}) as Partial<AuditPolicy> & { readonly apiVersion?: unknown; readonly kind?: unknown };
	if (policy.apiVersion !== 'audit.k8s.io/v1' || policy.kind !== 'Policy')
		return [`it is ${String(policy.apiVersion)} ${String(policy.kind)}, not audit.k8s.io/v1 Policy`];
	if (!Array.isArray(policy.rules) || policy.rules.length === 0) return ['it has no rules'];
	return [...stageFaults(policy.omitStages, 'omitStages'), ...policy.rules.flatMap((rule, i) => ruleFaults(rule, `rules[${i}]`))];
}

function ruleFaults(rule: PolicyRule, path: string): readonly string[] {
	const faults: string[] = [];
	if (!LEVELS.includes(rule.level)) faults.push(`${path}.level must be one of ${LEVELS.join(', ')}, not ${JSON.stringify(rule.level)}`);
	for (const [i, url] of (rule.nonResourceURLs ?? []).entries()) {
		if (url !== '*' && !url.startsWith('/')) faults.push(`${path}.nonResourceURLs[${i}] must begin with a '/' character`);
		if (url.slice(0, -1).includes('*')) faults.push(`${path}.nonResourceURLs[${i}]: a wildcard '*' must be the final character`);
	}
	for (const [i, { group = '', resources = [], resourceNames = [] }] of (rule.resources ?? []).entries()) {
		if (group !== '' && group !== '*' && !/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(group))
			faults.push(`${path}.resources[${i}].group ${JSON.stringify(group)} is no name of an API group`);
		if (resourceNames.length > 0 && resources.length === 0)
			faults.push(`${path}.resources[${i}].resourceNames requires at least one resource`);
	}
	if ((rule.nonResourceURLs ?? []).length > 0 && ((rule.resources ?? []).length > 0 || (rule.namespaces ?? []).length > 0))
		faults.push(`${path}.nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs`);
	return [...faults, ...stageFaults(rule.omitStages, `${path}.omitStages`)];
}

function stageFaults(stages: readonly Stage[] | undefined, path: string): readonly string[] {
	return (stages ?? []).flatMap((stage, i) =>
		STAGES.includes(stage) ? [] : [`${path}[${i}] must be one of ${STAGES.join(', ')}, not ${JSON.stringify(stage)}`],
	);
}
