/** Flow schemas and priority levels. */
import { duplicate, fieldForbidden, invalidValue, notSupported, required } from '../../field-error.ts';
import type {
	FlowSchema,
	LimitResponse,
	NonResourcePolicyRule,
	PolicyRulesWithSubjects,
	PriorityLevelConfiguration,
	QueuingConfiguration,
	ResourcePolicyRule,
	Subject,
} from '../../gen/types.ts';
import { fixedLevel } from './fixed-priority-levels.ts';
import { fixedSchema } from './fixed-flow-schemas.ts';
import { CLUSTER_SCOPED, objectMeta } from '../metadata.ts';
import { dnsLabel, dnsSubdomain } from '../names.ts';
import { present, texts, type Errors } from '../rule.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const MAX_PRECEDENCE = 10_000;
const MAX_QUEUES = 10_000_000;
/** Bits that a flow's hash has: a hand must not need more. */
const HASH_BITS = 60;
const FIXED_LEVELS = new Set(['exempt', 'catch-all']);
const ROUND_TRIP = 'flowcontrol.k8s.io/concurrency-shares-defaults-to-zero';

export function flowSchema(out: Errors, object: FlowSchema): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	const { matchingPrecedence = 0, distinguisherMethod, priorityLevelConfiguration, rules = [] } = object.spec ?? {};
	const at = 'spec.matchingPrecedence';
	if (matchingPrecedence <= 0) out.push(invalidValue(at, matchingPrecedence, 'must be a positive value'));
	if (matchingPrecedence > MAX_PRECEDENCE) out.push(invalidValue(at, matchingPrecedence, `must not be greater than ${MAX_PRECEDENCE}`));
	if (matchingPrecedence === 1 && object.metadata.name !== 'exempt')
		out.push(invalidValue(at, matchingPrecedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
	const method = distinguisherMethod?.type;
	if (method !== undefined && method !== 'ByNamespace' && method !== 'ByUser')
		out.push(notSupported('spec.distinguisherMethod.type', { Type: method }, ['ByNamespace', 'ByUser']));
	const level = priorityLevelConfiguration?.name ?? '';
	if (level === '') out.push(required('spec.priorityLevelConfiguration.name', 'must reference a priority level'));
	else texts(out, 'spec.priorityLevelConfiguration.name', level, dnsSubdomain(level));
	for (const [i, rule] of rules.entries()) policyRules(out, `spec.rules[${i}]`, rule);
	fixedSchema(out, object);
	conditionTypes(out, object.status?.conditions ?? []);
}

function policyRules(out: Errors, at: string, { subjects = [], resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects): void {
	if (subjects.length === 0) out.push(required(`${at}.subjects`, 'subjects must contain at least one value'));
	for (const [i, subject] of subjects.entries()) checkSubject(out, `${at}.subjects[${i}]`, subject);
	if (resourceRules.length === 0 && nonResourceRules.length === 0)
		out.push(required(at, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
	for (const [i, rule] of resourceRules.entries()) resourceRule(out, `${at}.resourceRules[${i}]`, rule);
	for (const [i, rule] of nonResourceRules.entries()) nonResourceRule(out, `${at}.nonResourceRules[${i}]`, rule);
}

/** The field that each kind of subject has, in the order in which the others are refused. */
const SUBJECT_FIELDS = { ServiceAccount: 'serviceAccount', User: 'user', Group: 'group' } as const;

function checkSubject(out: Errors, at: string, subject: Subject): void {
	const own = SUBJECT_FIELDS[subject.kind as keyof typeof SUBJECT_FIELDS];
	if (own === undefined) {
		out.push(notSupported(`${at}.kind`, subject.kind, ['Group', 'ServiceAccount', 'User']));
		return;
	}
	const who = subject[own];
	if (who === undefined) out.push(required(`${at}.${own}`, `${own} is required when subject kind is '${subject.kind}'`));
	else if (subject.serviceAccount !== undefined && own === 'serviceAccount') {
		const { name, namespace } = subject.serviceAccount;
		if (present(out, `${at}.serviceAccount.name`, name) && name !== '*') texts(out, `${at}.serviceAccount.name`, name, dnsSubdomain(name));
		if (present(out, `${at}.serviceAccount.namespace`, namespace, 'must specify namespace for service account'))
			texts(out, `${at}.serviceAccount.namespace`, namespace, dnsLabel(namespace));
	} else present(out, `${at}.${own}.name`, who.name);
	for (const [kind, field] of Object.entries(SUBJECT_FIELDS))
		if (field !== own && subject[field] !== undefined)
			out.push(fieldForbidden(`${at}.${field}`, `${field} is forbidden when subject kind is not '${kind}'`));
}

function verbsOf(out: Errors, path: string, verbs: readonly string[]): void {
	if (verbs.length === 0) out.push(required(path, 'verbs must contain at least one value'));
	else if (verbs.includes('*')) alone(out, path, verbs, 'verbs');
	else if (verbs.some((verb) => !VERBS.includes(verb))) out.push(notSupported(path, verbs, VERBS));
}

function alone(out: Errors, path: string, list: readonly string[], what: string): void {
	if (list.length > 1 && list.includes('*')) out.push(invalidValue(path, list, `if '*' is present, must not specify other ${what}`));
}

function resourceRule(out: Errors, at: string, rule: ResourcePolicyRule): void {
	const { verbs = [], apiGroups = [], resources = [], namespaces = [], clusterScope = false } = rule;
	verbsOf(out, `${at}.verbs`, verbs);
	if (apiGroups.length === 0) out.push(required(`${at}.apiGroups`, 'resource rules must supply at least one api group'));
	else alone(out, `${at}.apiGroups`, apiGroups, 'api groups');
	if (resources.length === 0) out.push(required(`${at}.resources`, 'resource rules must supply at least one resource'));
	else alone(out, `${at}.resources`, resources, 'resources');
	if (namespaces.length === 0 && !clusterScope)
		out.push(required(`${at}.namespaces`, 'resource rules that are not cluster scoped must supply at least one namespace'));
	else if (namespaces.includes('*')) alone(out, `${at}.namespaces`, namespaces, 'namespaces');
	else
		for (const [i, name] of namespaces.entries())
			texts(
				out,
				`${at}.namespaces[${i}]`,
				name,
				dnsLabel(name).map((text) => `each member of this list must be '*' or a DNS-1123 label; ${text}`),
			);
}

function nonResourceRule(out: Errors, at: string, { verbs = [], nonResourceURLs = [] }: NonResourcePolicyRule): void {
	verbsOf(out, `${at}.verbs`, verbs);
	const path = `${at}.nonResourceURLs`;
	if (nonResourceURLs.length === 0) out.push(required(path, 'nonResourceURLs must contain at least one value'));
	else if (nonResourceURLs.includes('*')) alone(out, path, nonResourceURLs, 'non-resource URLs');
	else
		for (const [i, url] of nonResourceURLs.entries()) {
			const complaint = urlComplaint(url);
			if (complaint !== undefined) out.push(invalidValue(`${path}[${i}]`, url, complaint));
		}
}

function urlComplaint(url: string): string | undefined {
	if (url === '') return 'must not be empty';
	if (url === '/') return undefined;
	if (!url.startsWith('/')) return 'must start with slash';
	if (url.includes(' ')) return 'must not contain white-space';
	if (url.includes('//')) return 'must not contain double slash';
	const wildcards = url.split('*').length - 1;
	return wildcards > 1 || (wildcards === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

export function flowStatus(out: Errors, object: FlowSchema | PriorityLevelConfiguration): void {
	conditionTypes(out, object.status?.conditions ?? []);
}

function conditionTypes(out: Errors, conditions: readonly { readonly type?: string | undefined }[]): void {
	const seen = new Set<string>();
	for (const [i, { type = '' }] of conditions.entries()) {
		const path = `status.conditions[${i}].type`;
		if (seen.has(type)) out.push(duplicate(path, type));
		seen.add(type);
		present(out, path, type);
	}
}

export function priorityLevel(out: Errors, object: PriorityLevelConfiguration): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	if (object.metadata.annotations?.[ROUND_TRIP] !== undefined)
		out.push(fieldForbidden('metadata.annotations', `annotation '${ROUND_TRIP}' is forbidden`));
	const { type = '', limited, exempt } = object.spec ?? {};
	const name = object.metadata.name ?? '';
	if ((name === 'exempt') !== (type === 'Exempt'))
		out.push(invalidValue('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"));
	if (type === 'Exempt') {
		if (limited !== undefined) out.push(fieldForbidden('spec.limited', 'must be nil if the type is not Limited'));
		if (exempt !== undefined) shares(out, 'spec.exempt', exempt);
	} else if (type === 'Limited') {
		if (exempt !== undefined) out.push(fieldForbidden('spec.exempt', 'must be nil if the type is Limited'));
		if (limited === undefined) out.push(required('spec.limited', 'must not be empty when type is Limited'));
		else {
			const { nominalConcurrencyShares, limitResponse, lendablePercent, borrowingLimitPercent: borrowing } = limited;
			shares(out, 'spec.limited', { nominalConcurrencyShares });
			response(out, 'spec.limited.limitResponse', limitResponse ?? { type: '' });
			shares(out, 'spec.limited', { lendablePercent });
			if (borrowing !== undefined && borrowing < 0)
				out.push(invalidValue('spec.limited.borrowingLimitPercent', borrowing, 'if specified, must be a non-negative integer'));
		}
	} else out.push(notSupported('spec.type', type, ['Exempt', 'Limited']));
	if (FIXED_LEVELS.has(name)) fixedLevel(out, object);
	conditionTypes(out, object.status?.conditions ?? []);
}

function shares(
	out: Errors,
	at: string,
	{ nominalConcurrencyShares, lendablePercent }: { nominalConcurrencyShares?: number | undefined; lendablePercent?: number | undefined },
): void {
	if (nominalConcurrencyShares !== undefined && nominalConcurrencyShares < 0)
		out.push(invalidValue(`${at}.nominalConcurrencyShares`, nominalConcurrencyShares, 'must be a non-negative integer'));
	if (lendablePercent !== undefined && (lendablePercent < 0 || lendablePercent > 100))
		out.push(invalidValue(`${at}.lendablePercent`, lendablePercent, 'must be between 0 and 100, inclusive'));
}

function response(out: Errors, at: string, { type, queuing }: LimitResponse): void {
	if (type === 'Reject') {
		if (queuing !== undefined) out.push(fieldForbidden(`${at}.queuing`, 'must be nil if limited.limitResponse.type is not Limited'));
	} else if (type === 'Queue') {
		if (queuing === undefined) out.push(required(`${at}.queuing`, 'must not be empty if limited.limitResponse.type is Limited'));
		else queues(out, `${at}.queuing`, queuing);
	} else out.push(notSupported(`${at}.type`, type, ['Queue', 'Reject']));
}

function queues(out: Errors, at: string, given: QueuingConfiguration): void {
	const { queueLengthLimit: length = 0, queues: count = 0, handSize = 0 } = given;
	if (length <= 0) out.push(invalidValue(`${at}.queueLengthLimit`, length, 'must be positive'));
	if (count <= 0) out.push(invalidValue(`${at}.queues`, count, 'must be positive'));
	else if (count > MAX_QUEUES) out.push(invalidValue(`${at}.queues`, count, `must not be greater than ${MAX_QUEUES}`));
	const path = `${at}.handSize`;
	if (handSize <= 0) out.push(invalidValue(path, handSize, 'must be positive'));
	else if (handSize > count) out.push(invalidValue(path, handSize, `should not be greater than queues (${count})`));
	else if (Math.ceil(Math.log2(count) * handSize) > HASH_BITS)
		out.push(
			invalidValue(
				path,
				handSize,
				`required entropy bits of deckSize ${count} and handSize ${handSize} should not be greater than ${HASH_BITS}`,
			),
		);
}
