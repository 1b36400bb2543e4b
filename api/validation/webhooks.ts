/** Mutating and validating webhook configurations, with the expressions of their conditions. */
import type { Compiled } from '../cel/admission/environment.ts';
import { webhookConditions } from '../cel/admission/policy.ts';
import { duplicate, invalidValue, required } from '../field-error.ts';
import type {
	MatchCondition,
	MutatingWebhook,
	MutatingWebhookConfiguration,
	RuleWithOperations,
	ValidatingWebhook,
	ValidatingWebhookConfiguration,
	WebhookClientConfig,
} from '../gen/types.ts';
import { dnsSubdomain, qualifiedName } from './names.ts';
import { objectMeta } from './metadata.ts';
import { oneOf, present, texts, Unique, type Errors } from './rule.ts';
import { labelSelector } from './selectors.ts';

const CLUSTER = { name: dnsSubdomain, namespaced: false, finalizers: false };
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const VERSIONS = new Set(['v1', 'v1beta1']);
type Webhook = MutatingWebhook | ValidatingWebhook;

export function webhookConfiguration(out: Errors, object: MutatingWebhookConfiguration | ValidatingWebhookConfiguration): void {
	objectMeta(out, object.metadata, CLUSTER);
	const names = new Unique();
	for (const [i, hook] of (object.webhooks ?? []).entries()) {
		webhook(out, `webhooks[${i}]`, hook);
		names.check(out, `webhooks[${i}].name`, hook.name);
	}
}

function webhook(out: Errors, at: string, hook: Webhook): void {
	texts(out, `${at}.name`, hook.name, fullyQualified(hook.name));
	labelSelector(out, `${at}.namespaceSelector`, hook.namespaceSelector);
	labelSelector(out, `${at}.objectSelector`, hook.objectSelector);
	reviewVersions(out, `${at}.admissionReviewVersions`, hook.admissionReviewVersions ?? []);
	for (const [i, rule] of (hook.rules ?? []).entries()) ruleWithOperations(out, `${at}.rules[${i}]`, rule);
	oneOf(out, `${at}.failurePolicy`, hook.failurePolicy, ['Fail', 'Ignore']);
	oneOf(out, `${at}.matchPolicy`, hook.matchPolicy, ['Equivalent', 'Exact']);
	const effects = hook.sideEffects as string | undefined;
	if (effects === undefined || effects === null) out.push(required(`${at}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
	else oneOf(out, `${at}.sideEffects`, effects, ['None', 'NoneOnDryRun']);
	const { timeoutSeconds } = hook;
	if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1))
		out.push(invalidValue(`${at}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'));
	if ('reinvocationPolicy' in hook) oneOf(out, `${at}.reinvocationPolicy`, hook.reinvocationPolicy, ['IfNeeded', 'Never']);
	clientConfig(out, `${at}.clientConfig`, hook.clientConfig);
	const conditions = hook.matchConditions ?? [];
	matchConditions(out, `${at}.matchConditions`, conditions, webhookConditions(conditions));
}

const MAX_CONDITIONS = 64;

/** An expression that does not compile, or gives what it should not. */
export function compiles(out: Errors, path: string, expression: string, compiled: Compiled | undefined): void {
	if (compiled !== undefined && 'error' in compiled) out.push(invalidValue(path, expression, compiled.error));
}

export function matchConditions(
	out: Errors,
	at: string,
	list: readonly MatchCondition[],
	compiled: readonly { readonly compiled: Compiled }[],
): void {
	if (list.length > MAX_CONDITIONS) {
		out.push({ reason: 'FieldValueTooMany', field: at, message: `Too many: ${list.length}: must have at most ${MAX_CONDITIONS} items` });
		return;
	}
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

function fullyQualified(name: string): readonly string[] {
	if (name === '') return [];
	const complaints = dnsSubdomain(name);
	if (complaints.length > 0) return complaints;
	return name.split('.').length < 3 ? ['should be a domain with at least three segments separated by dots'] : [];
}

function reviewVersions(out: Errors, path: string, versions: readonly string[]): void {
	if (versions.length === 0) {
		out.push(required(path, 'must specify one of v1, v1beta1'));
		return;
	}
	const seen = new Set<string>();
	let known = false;
	for (const [i, version] of versions.entries()) {
		if (seen.has(version)) out.push(invalidValue(`${path}[${i}]`, version, 'duplicate version'));
		seen.add(version);
		if (VERSIONS.has(version)) known = true;
	}
	if (!known) out.push(invalidValue(path, versions, 'must include at least one of v1, v1beta1'));
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
	const resources = rule.resources ?? [];
	present(out, `${at}.resources`, resources);
	if (resources.length > 1 && resources.includes('*') && resources.some((name) => name !== '*' && !name.includes('/')))
		out.push(invalidValue(`${at}.resources`, resources, "if '*' is present, must not specify other resources without subresources"));
	oneOf(out, `${at}.scope`, rule.scope, ['*', 'Cluster', 'Namespaced']);
}

function clientConfig(out: Errors, at: string, config: WebhookClientConfig): void {
	const { url, service } = config;
	if ((url === undefined) === (service === undefined)) {
		out.push(required(at, 'exactly one of url or service is required'));
		return;
	}
	if (url !== undefined) webhookUrl(out, `${at}.url`, url);
	if (service === undefined) return;
	present(out, `${at}.service.name`, service.name);
	present(out, `${at}.service.namespace`, service.namespace);
	const { port = 443, path } = service;
	if (port < 1 || port > 65_535)
		out.push(invalidValue(`${at}.service.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'));
	if (path !== undefined) servicePath(out, `${at}.service.path`, path);
}

const URL_FORM = 'desired format: https://host[/path]';

function webhookUrl(out: Errors, path: string, text: string): void {
	let url: URL;
	try {
		url = new URL(text);
	} catch {
		out.push(required(path, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URI for request; ${URL_FORM}`));
		return;
	}
	if (url.protocol !== 'https:')
		out.push(invalidValue(path, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme; ${URL_FORM}`));
	if (url.hostname === '') out.push(invalidValue(path, url.hostname, `host must be specified; ${URL_FORM}`));
	if (url.username !== '') out.push(invalidValue(path, url.username, `user information is not permitted in the URL; ${URL_FORM}`));
	if (url.hash !== '') out.push(invalidValue(path, url.hash.slice(1), 'fragments are not permitted in the URL'));
	if (url.search !== '') out.push(invalidValue(path, url.search.slice(1), 'query parameters are not permitted in the URL'));
}

function servicePath(out: Errors, at: string, path: string): void {
	if (path === '/' || path === '') return;
	if (path === '//') {
		out.push(invalidValue(at, path, 'segment[0] may not be empty'));
		return;
	}
	if (!path.startsWith('/')) out.push(invalidValue(at, path, "must start with a '/'"));
	const steps = path.slice(1).split('/');
	if (steps.at(-1) === '' && steps.length > 1) steps.pop();
	for (const [i, step] of steps.entries()) {
		if (step === '') out.push(invalidValue(at, path, `segment[${i}] may not be empty`));
		else for (const text of dnsSubdomain(step)) out.push(invalidValue(at, path, `segment[${i}]: ${text}`));
	}
}
