/** What is wrong with an AuthorizationConfiguration, in upstream's words (pkg/apis/apiserver/validation, kubeapiserver/authorizer). */
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { duplicate, invalidValue, notSupported, required, tooMany, type FieldError } from '../../../api/field-error.ts';
import { formatDuration, parseDuration } from '../../../api/time.ts';
import { dnsSubdomain } from '../../../api/validation/names.ts';
import { messageOf } from '../../../base/errors.ts';
import { PLAIN, type AuthorizerShape, type WebhookShape } from './configuration-shape.ts';
import { compileConditions } from './match-conditions.ts';

const MAX_CONDITIONS = 64;
const MAX_TIMEOUT = 30_000_000_000n;

export function authorizerFaults(authorizers: readonly AuthorizerShape[]): readonly string[] {
	const out: FieldError[] = [];
	if (authorizers.length === 0) out.push(required('authorizers', 'at least one authorization mode must be defined'));
	const types = new Set<string>();
	const names = new Set<string>();
	for (const [i, { type = '', name = '', webhook }] of authorizers.entries()) {
		const at = `authorizers[${i}]`;
		const fault = typeFault(`${at}.type`, type, types);
		if (fault !== undefined) {
			out.push(fault);
			continue;
		}
		types.add(type);
		const why = dnsSubdomain(name);
		if (name === '') out.push(required(`${at}.name`));
		else if (names.has(name)) out.push(duplicate(`${at}.name`, name));
		else if (why.length > 0) out.push(invalidValue(`${at}.name`, name, `authorizer name is invalid: ${why.join(', ')}`));
		names.add(name);
		if (type !== 'Webhook') {
			if (webhook !== undefined) out.push(invalidValue(`${at}.webhook`, 'non-null', 'may only be specified when type=Webhook'));
		} else if (webhook === undefined) out.push(required(`${at}.webhook`, 'required when type=Webhook'));
		// Upstream names its fields as if they were the authorizer's.
		else out.push(...webhookFaults(webhook, at));
	}
	if (out.length > 0) return out.map(({ field, message }) => `${field}: ${message}`);
	return authorizers
		.filter(({ type = '', name = '' }) => type !== 'Webhook' && name !== type.toLowerCase())
		.map(({ type = '', name = '' }) => `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`);
}

function typeFault(at: string, type: string, seen: ReadonlySet<string>): FieldError | undefined {
	const known = [...PLAIN, 'Webhook'];
	if (type === '') return required(at);
	if (!known.includes(type)) return notSupported(at, type, known.toSorted());
	return seen.has(type) && type !== 'Webhook' ? duplicate(at, type) : undefined;
}

function webhookFaults(webhook: WebhookShape, at: string): FieldError[] {
	return [
		...timeoutFaults(webhook.timeout, `${at}.timeout`),
		...lifeFaults(webhook.authorizedTTL, `${at}.authorizedTTL`),
		...lifeFaults(webhook.unauthorizedTTL, `${at}.unauthorizedTTL`),
		...oneOf(webhook.subjectAccessReviewVersion, `${at}.subjectAccessReviewVersion`, ['v1', 'v1beta1']),
		...conditionVersionFaults(webhook, `${at}.matchConditionSubjectAccessReviewVersion`),
		...oneOf(webhook.failurePolicy, `${at}.failurePolicy`, ['NoOpinion', 'Deny']),
		...connectionFaults(webhook.connectionInfo, `${at}.connectionInfo`),
		...conditionFaults(webhook.matchConditions ?? [], `${at}.matchConditions`),
	];
}

/** Nanoseconds; a message where it is no span of time. */
function nanos(given: string): bigint | string {
	try {
		return parseDuration(given);
	} catch (error) {
		return messageOf(error);
	}
}

function timeoutFaults(given: string | undefined, at: string): FieldError[] {
	const span = given === undefined ? 0n : nanos(given);
	if (typeof span === 'string') return [invalidValue(at, given, span)];
	if (span === 0n) return [required(at)];
	return span > MAX_TIMEOUT || span < 0n ? [invalidValue(at, formatDuration(span), 'must be > 0s and <= 30s')] : [];
}

function lifeFaults(given: string | undefined, at: string): FieldError[] {
	const span = given === undefined ? 0n : nanos(given);
	if (typeof span === 'string') return [invalidValue(at, given, span)];
	return span < 0n ? [invalidValue(at, formatDuration(span), 'must be > 0s')] : [];
}

function oneOf(given: string | undefined, at: string, known: readonly string[]): FieldError[] {
	if (given === undefined || given === '') return [required(at)];
	return known.includes(given) ? [] : [notSupported(at, given, known)];
}

function conditionVersionFaults(
	{ matchConditionSubjectAccessReviewVersion: given = '', matchConditions = [] }: WebhookShape,
	at: string,
): FieldError[] {
	if (given === '') return matchConditions.length > 0 ? [required(at, 'required if match conditions are specified')] : [];
	return oneOf(given, at, ['v1']);
}

function connectionFaults(info: WebhookShape['connectionInfo'], at: string): FieldError[] {
	const { type = '', kubeConfigFile = '' } = info ?? {};
	if (type === '') return [required(`${at}.type`)];
	// Upstream's validation takes InClusterConfig too, but its kube-apiserver then dies of the file that is not named.
	if (type !== 'KubeConfigFile') return [notSupported(`${at}.type`, type, ['KubeConfigFile'])];
	const path = `${at}.kubeConfigFile`;
	if (kubeConfigFile === '') return [required(path)];
	if (!isAbsolute(kubeConfigFile)) return [invalidValue(path, kubeConfigFile, 'must be an absolute path')];
	try {
		return statSync(kubeConfigFile).isFile() ? [] : [invalidValue(path, kubeConfigFile, 'must be a regular file')];
	} catch (error) {
		return [invalidValue(path, kubeConfigFile, `error loading file: ${messageOf(error)}`)];
	}
}

function conditionFaults(conditions: NonNullable<WebhookShape['matchConditions']>, at: string): FieldError[] {
	if (conditions.length > MAX_CONDITIONS) return [tooMany(at, conditions.length, MAX_CONDITIONS)];
	return conditions.flatMap(({ expression = '' }, i): FieldError[] => {
		const path = `${at}[${i}].expression`;
		if (expression.trim() === '') return [required(path)];
		if (conditions.findIndex((other) => other.expression === expression) < i) return [duplicate(path, expression)];
		try {
			compileConditions([expression]);
			return [];
		} catch (error) {
			const { cause = error } = error as Error;
			const why = messageOf(cause);
			return [invalidValue(path, expression, why === 'must evaluate to bool' ? why : `compilation failed: ${why}`)];
		}
	});
}
