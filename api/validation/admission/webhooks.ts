/** Mutating and validating webhook configurations, with the expressions of their conditions. */
import type { Compiled } from '../../cel/admission/environment.ts';
import { webhookConditions } from '../../cel/admission/policy.ts';
import { duplicate, internal, invalidValue, required, tooMany } from '../../field-error.ts';
import type { MatchCondition, MutatingWebhook, RuleWithOperations, ValidatingWebhook, WebhookClientConfig } from '../../gen/types.ts';
import { dns1035Label, dnsSubdomain, qualifiedName } from '../names.ts';
import { objectMeta } from '../metadata.ts';
import { oneOf, present, texts, Unique, type Errors } from '../rule.ts';
import { labelSelector } from '../selectors.ts';
import { webhookService, webhookUrl } from '../webhook-target.ts';
import { trimmedConditions } from './trimmed.ts';
import { NO_SIDE_EFFECTS, REVIEW_VERSIONS, webhookOptions, type WebhookConfiguration, type WebhookOption } from './webhooks-before.ts';

const CLUSTER = { name: dnsSubdomain, namespaced: false, finalizers: false };
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SIDE_EFFECTS = [...NO_SIDE_EFFECTS, 'Some', 'Unknown'];
type Webhook = MutatingWebhook | ValidatingWebhook;

export function webhookConfiguration(out: Errors, object: WebhookConfiguration): void {
	configuration(out, object, new Set());
}

export function webhookConfigurationUpdate(out: Errors, object: WebhookConfiguration, old: WebhookConfiguration): void {
	configuration(out, object, webhookOptions(object, old));
}

type Options = ReadonlySet<WebhookOption>;

function configuration(out: Errors, object: WebhookConfiguration, options: Options): void {
	objectMeta(out, object.metadata, CLUSTER);
	const names = new Unique();
	for (const [i, hook] of (object.webhooks ?? []).entries()) {
		webhook(out, `webhooks[${i}]`, hook, options);
		reviewVersions(out, `webhooks[${i}].admissionReviewVersions`, hook.admissionReviewVersions ?? [], options);
		if ((hook.name ?? '') !== '' && !options.has('uniqueNames')) names.check(out, `webhooks[${i}].name`, hook.name);
	}
}

function webhook(out: Errors, at: string, hook: Webhook, options: Options): void {
	fullyQualified(out, `${at}.name`, hook.name ?? '');
	for (const [i, rule] of (hook.rules ?? []).entries()) ruleWithOperations(out, `${at}.rules[${i}]`, rule);
	oneOf(out, `${at}.failurePolicy`, hook.failurePolicy, ['Fail', 'Ignore']);
	oneOf(out, `${at}.matchPolicy`, hook.matchPolicy, ['Equivalent', 'Exact']);
	const effects = hook.sideEffects as string | undefined;
	const allowed = options.has('sideEffects') ? SIDE_EFFECTS : NO_SIDE_EFFECTS;
	if (effects === undefined) out.push(required(`${at}.sideEffects`, `must specify one of ${allowed.join(', ')}`));
	else oneOf(out, `${at}.sideEffects`, effects, allowed);
	const { timeoutSeconds } = hook;
	if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1))
		out.push(invalidValue(`${at}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'));
	const values = options.has('selectorValues') ? 'any' : 'checked';
	labelSelector(out, `${at}.namespaceSelector`, hook.namespaceSelector, values);
	labelSelector(out, `${at}.objectSelector`, hook.objectSelector, values);
	if ('reinvocationPolicy' in hook) oneOf(out, `${at}.reinvocationPolicy`, hook.reinvocationPolicy, ['IfNeeded', 'Never']);
	clientConfig(out, `${at}.clientConfig`, hook.clientConfig ?? {});
	if (options.has('conditions')) return;
	const conditions = hook.matchConditions ?? [];
	matchConditions(out, `${at}.matchConditions`, conditions, webhookConditions(trimmedConditions(conditions)));
}

const MAX_CONDITIONS = 64;

/** An expression that does not compile, or gives what it should not. */
export function compiles(out: Errors, path: string, expression: string, compiled: Compiled | undefined): void {
	if (compiled === undefined || !('error' in compiled)) return;
	out.push(compiled.internal === true ? internal(path, compiled.error) : invalidValue(path, expression, compiled.error));
}

export function matchConditions(
	out: Errors,
	at: string,
	list: readonly MatchCondition[],
	compiled: readonly { readonly compiled: Compiled }[],
): void {
	if (list.length > MAX_CONDITIONS) out.push(tooMany(at, list.length, MAX_CONDITIONS));
	const names = new Set<string>();
	for (const [i, { name, expression }] of list.entries()) {
		if (expression.trim() === '') out.push(required(`${at}[${i}].expression`));
		else compiles(out, `${at}[${i}].expression`, expression.trim(), compiled[i]?.compiled);
		const path = `${at}[${i}].name`;
		if (name === '') out.push(required(path));
		else {
			texts(out, path, name, qualifiedName(name));
			if (names.has(name)) out.push(duplicate(path, name));
			names.add(name);
		}
	}
}

function fullyQualified(out: Errors, path: string, name: string): void {
	if (name === '') out.push(required(path));
	else {
		const complaints = dnsSubdomain(name);
		if (complaints.length > 0) out.push(invalidValue(path, name, complaints.join(',')));
		else if (name.split('.').length < 3)
			out.push(invalidValue(path, name, 'should be a domain with at least three segments separated by dots'));
	}
}

function reviewVersions(out: Errors, path: string, versions: readonly string[], options: Options): void {
	if (versions.length === 0) {
		out.push(required(path, 'must specify one of v1, v1beta1'));
		return;
	}
	const seen = new Set<string>();
	let known = false;
	for (const [i, version] of versions.entries()) {
		if (seen.has(version)) {
			out.push(invalidValue(`${path}[${i}]`, version, 'duplicate version'));
			continue;
		}
		seen.add(version);
		texts(out, `${path}[${i}]`, version, dns1035Label(version));
		if (REVIEW_VERSIONS.includes(version)) known = true;
	}
	if (!known && !options.has('reviewVersions')) out.push(invalidValue(path, versions, 'must include at least one of v1, v1beta1'));
}

export function ruleWithOperations(out: Errors, at: string, rule: RuleWithOperations): void {
	const operations = rule.operations ?? [];
	present(out, `${at}.operations`, operations);
	if (operations.length > 1 && operations.includes('*'))
		out.push(invalidValue(`${at}.operations`, operations, "if '*' is present, must not specify other operations"));
	for (const [i, operation] of operations.entries()) oneOf(out, `${at}.operations[${i}]`, operation, OPERATIONS);
	for (const key of ['apiGroups', 'apiVersions'] as const) {
		const list = rule[key] ?? [];
		present(out, `${at}.${key}`, list);
		if (list.length > 1 && list.includes('*'))
			out.push(
				invalidValue(
					`${at}.${key}`,
					list,
					`if '*' is present, must not specify other ${key === 'apiGroups' ? 'API groups' : 'API versions'}`,
				),
			);
	}
	for (const [i, version] of (rule.apiVersions ?? []).entries()) present(out, `${at}.apiVersions[${i}]`, version);
	ruleResources(out, `${at}.resources`, rule.resources ?? []);
	oneOf(out, `${at}.scope`, rule.scope, ['*', 'Cluster', 'Namespaced']);
}

function ruleResources(out: Errors, path: string, resources: readonly string[]): void {
	present(out, path, resources);
	const [allOf, ofAll] = [new Set<string>(), new Set<string>()];
	let plain = false;
	for (const [i, entry] of resources.entries()) {
		if (!present(out, `${path}[${i}]`, entry)) continue;
		const at = entry.indexOf('/');
		if (at < 0) {
			plain = entry !== '*';
			continue;
		}
		const [resource, sub] = [entry.slice(0, at), entry.slice(at + 1)];
		for (const covering of [...(allOf.has(resource) ? [`${resource}/*`] : []), ...(ofAll.has(sub) ? [`*/${sub}`] : [])])
			out.push(invalidValue(`${path}[${i}]`, entry, `if '${covering}' is present, must not specify ${entry}`));
		if (sub === '*') allOf.add(resource);
		if (resource === '*') ofAll.add(sub);
	}
	if (resources.length > 1 && resources.includes('*/*'))
		out.push(invalidValue(path, resources, "if '*/*' is present, must not specify other resources"));
	if (resources.includes('*') && plain)
		out.push(invalidValue(path, resources, "if '*' is present, must not specify other resources without subresources"));
}

function clientConfig(out: Errors, at: string, config: WebhookClientConfig): void {
	const { url, service } = config;
	if ((url === undefined) === (service === undefined)) {
		out.push(required(at, 'exactly one of url or service is required'));
		return;
	}
	if (url !== undefined) webhookUrl(out, `${at}.url`, url);
	if (service !== undefined) webhookService(out, `${at}.service`, service);
}
