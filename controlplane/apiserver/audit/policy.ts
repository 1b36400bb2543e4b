/** Upstream's audit Policy (audit.k8s.io/v1): how much is written down of which request. Read from its file, checked, and asked. Pure. */
import { invalidValue, notSupported, required, type FieldError } from '../../../api/field-error.ts';
import { dnsSubdomain } from '../../../api/validation/names.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { parseYaml } from '../../../base/parse-yaml.ts';
import { Shape } from '../../../base/shape.ts';
import type { Attributes } from '../contracts.ts';

const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof LEVELS)[number];
const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
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

/** AppError InvalidArgument names every fault. Unknown fields are passed over, as by upstream. */
export function parsePolicy(text: string, source: string): AuditPolicy {
	const wrong = (why: string, cause?: unknown): AppError =>
		new AppError('InvalidArgument', `loading audit policy file: ${why}: from file ${source}`, { cause });
	let policy: AuditPolicy;
	try {
		policy = policyOf(new Shape(parseYaml(text) ?? {}, ''));
	} catch (cause) {
		throw wrong(`failed decoding: ${messageOf(cause)}`, cause);
	}
	const faults = [...stageFaults(policy.omitStages, 'omitStages'), ...policy.rules.flatMap((rule, i) => ruleFaults(rule, `rules[${i}]`))];
	const told = [...new Set(faults.map(({ field, message }) => `${field}: ${message}`))];
	if (told.length > 0) throw wrong(told.length === 1 ? (told[0] as string) : `[${told.join(', ')}]`);
	if (policy.rules.length === 0) throw wrong('loaded illegal policy with 0 rules');
	return policy;
}

function policyOf(root: Shape): AuditPolicy {
	root.kind(['audit.k8s.io/v1'], 'Policy');
	return { ...omissionsOf(root), rules: root.list('rules').map(ruleOf) };
}

function ruleOf(rule: Shape): PolicyRule {
	return {
		level: rule.text('level') as Level,
		...lists(rule, ['users', 'userGroups', 'verbs', 'namespaces', 'nonResourceURLs']),
		...(rule.has('resources') ? { resources: rule.list('resources').map(resourcesOf) } : {}),
		...omissionsOf(rule),
	};
}

function resourcesOf(one: Shape): GroupResources {
	return { group: one.text('group'), ...lists(one, ['resources', 'resourceNames']) };
}

function omissionsOf(shape: Shape): Pick<AuditPolicy, 'omitStages' | 'omitManagedFields'> {
	return {
		...(lists(shape, ['omitStages']) as Pick<AuditPolicy, 'omitStages'>),
		...(shape.has('omitManagedFields') ? { omitManagedFields: shape.bool('omitManagedFields') } : {}),
	};
}

function lists(shape: Shape, names: readonly string[]): Readonly<Record<string, readonly string[]>> {
	return Object.fromEntries(names.filter((name) => shape.has(name)).map((name) => [name, shape.texts(name)]));
}

function ruleFaults({ level, nonResourceURLs = [], resources = [], namespaces = [], omitStages }: PolicyRule, path: string): FieldError[] {
	const out: FieldError[] = [];
	if ((level as string) === '') out.push(required(`${path}.level`));
	else if (!LEVELS.includes(level)) out.push(notSupported(`${path}.level`, level, LEVELS.toSorted()));
	for (const [i, url] of nonResourceURLs.entries()) {
		const at = `${path}.nonResourceURLs[${i}]`;
		if (url === '*') continue;
		if (!url.startsWith('/')) out.push(invalidValue(at, url, "non-resource URL rules must begin with a '/' character"));
		if (url.slice(0, -1).includes('*'))
			out.push(invalidValue(at, url, "non-resource URL wildcards '*' must be the final character of the rule"));
	}
	for (const { group = '', resources: named = [], resourceNames = [] } of resources) {
		const why = group === '' || group === '*' ? [] : dnsSubdomain(group);
		if (why.length > 0) out.push(invalidValue(`${path}.resources.group`, group, why.join(',')));
		if (resourceNames.length > 0 && named.length === 0)
			out.push(invalidValue(`${path}.resources.resourceNames`, resourceNames, 'using resourceNames requires at least one resource'));
	}
	out.push(...stageFaults(omitStages, `${path}.omitStages`));
	if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0))
		out.push(
			invalidValue(`${path}.nonResourceURLs`, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'),
		);
	return out;
}

function stageFaults(stages: readonly Stage[] | undefined, path: string): FieldError[] {
	return (stages ?? []).flatMap((stage, i) =>
		STAGES.includes(stage) ? [] : [invalidValue(`${path}[${i}]`, stage, `allowed stages are ${STAGES.join(',')}`)],
	);
}
