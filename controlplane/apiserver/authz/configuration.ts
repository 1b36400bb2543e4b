/** Which authorizers are asked, in which order: upstream's --authorization-mode, or its AuthorizationConfiguration (apiserver.config.k8s.io/v1). */
import { isAbsolute } from 'node:path';
import { parseDuration } from '../../../api/time.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { parseYaml } from '../../../base/parse-yaml.ts';
import { Shape } from '../../../base/shape.ts';
import { remoteTarget, type RemoteTarget } from '../webhook/remote.ts';
import type { AbacPolicy } from './abac.ts';
import { compileConditions, type Condition } from './match-conditions.ts';

export interface WebhookAuthorizerOptions {
	readonly target: RemoteTarget;
	readonly version: 'v1' | 'v1beta1';
	readonly timeoutMs: number;
	/** How long answers are kept; 0: not at all. */
	readonly authorizedMs: number;
	readonly unauthorizedMs: number;
	/** What counts when nobody answers. */
	readonly failurePolicy: 'NoOpinion' | 'Deny';
	readonly conditions: readonly Condition[];
}

export type AuthorizerOptions =
	| { readonly type: 'Node' | 'RBAC' | 'AlwaysAllow' | 'AlwaysDeny' }
	| { readonly type: 'ABAC'; readonly policies: readonly AbacPolicy[] }
	| { readonly type: 'Webhook'; readonly name: string; readonly webhook: WebhookAuthorizerOptions };

const PLAIN = ['Node', 'RBAC', 'AlwaysAllow', 'AlwaysDeny'] as const;

const TEXTS = [
	'authorizedTTL',
	'unauthorizedTTL',
	'timeout',
	'subjectAccessReviewVersion',
	'matchConditionSubjectAccessReviewVersion',
	'failurePolicy',
] as const;
const FLAGS = ['cacheAuthorizedRequests', 'cacheUnauthorizedRequests'] as const;
const MAX_CONDITIONS = 64;

interface FileShape {
	readonly apiVersion?: string;
	readonly kind?: string;
	readonly authorizers?: readonly { readonly type?: string; readonly name?: string; readonly webhook?: WebhookShape }[];
}
interface WebhookShape {
	readonly authorizedTTL?: string;
	readonly unauthorizedTTL?: string;
	readonly cacheAuthorizedRequests?: boolean;
	readonly cacheUnauthorizedRequests?: boolean;
	readonly timeout?: string;
	readonly subjectAccessReviewVersion?: string;
	readonly matchConditionSubjectAccessReviewVersion?: string;
	readonly failurePolicy?: string;
	readonly connectionInfo?: { readonly type?: string; readonly kubeConfigFile?: string };
	readonly matchConditions?: readonly { readonly expression?: string }[];
}

/** The modes of the flag. AppError InvalidArgument. */
export function parseModes(
	modes: readonly string[],
	webhook: WebhookAuthorizerOptions | undefined,
	policies?: readonly AbacPolicy[],
): readonly AuthorizerOptions[] {
	return modes.map((mode) => {
		const plain = PLAIN.find((known) => known === mode);
		if (plain !== undefined) return { type: plain };
		if (mode === 'ABAC') {
			if (policies === undefined) throw new AppError('InvalidArgument', 'authorization-mode ABAC needs authorization-policy-file');
			return { type: 'ABAC', policies };
		}
		if (mode !== 'Webhook')
			throw new AppError('InvalidArgument', `authorization-mode "${mode}" is none of ${[...PLAIN, 'ABAC', 'Webhook'].join(', ')}`);
		if (webhook === undefined) throw new AppError('InvalidArgument', 'authorization-mode Webhook needs authorization-webhook-config-file');
		return { type: 'Webhook', name: 'default', webhook };
	});
}

/** AppError InvalidArgument names every fault. */
export async function parseAuthorizationConfiguration(text: string, source: string): Promise<readonly AuthorizerOptions[]> {
	let file: FileShape | null;
	try {
		file = parseYaml(text) as FileShape | null;
		if (file !== null && isOurs(file)) checkFields(file);
	} catch (cause) {
		throw new AppError('InvalidArgument', `Cannot read the authorization configuration "${source}": ${messageOf(cause)}`, { cause });
	}
	const faults = faultsOf(file ?? {});
	if (faults.length > 0)
		throw new AppError('InvalidArgument', `The authorization configuration "${source}" is wrong: ${faults.join('; ')}`);
	return Promise.all(
		(file?.authorizers ?? []).map(async ({ type, name = '', webhook = {} }): Promise<AuthorizerOptions> => {
			const plain = PLAIN.find((known) => known === type);
			return plain === undefined ? { type: 'Webhook', name, webhook: await webhookOf(webhook) } : { type: plain };
		}),
	);
}

function isOurs({ apiVersion = '', kind }: FileShape): boolean {
	return /^apiserver\.config\.k8s\.io\/v1(alpha1|beta1)?$/.test(apiVersion) && kind === 'AuthorizationConfiguration';
}

/** Read as strictly as upstream does: a condition under a misspelt name would ask for everybody. */
function checkFields(file: FileShape): void {
	const root = new Shape(file, '');
	root.only('apiVersion', 'kind', 'authorizers');
	for (const authorizer of root.list('authorizers')) {
		authorizer.only('type', 'name', 'webhook');
		const webhook = authorizer.map('webhook');
		webhook.only(...TEXTS, ...FLAGS, 'connectionInfo', 'matchConditions');
		for (const field of TEXTS) webhook.text(field);
		for (const field of FLAGS) webhook.bool(field);
		webhook.map('connectionInfo').only('type', 'kubeConfigFile');
		for (const condition of webhook.list('matchConditions')) {
			condition.only('expression');
			condition.text('expression');
		}
	}
}

async function webhookOf(shape: WebhookShape): Promise<WebhookAuthorizerOptions> {
	return {
		target: await remoteTarget(shape.connectionInfo?.kubeConfigFile ?? ''),
		version: shape.subjectAccessReviewVersion === 'v1beta1' ? 'v1beta1' : 'v1',
		timeoutMs: ms(shape.timeout ?? '3s'),
		authorizedMs: shape.cacheAuthorizedRequests === false ? 0 : ms(shape.authorizedTTL ?? '5m'),
		unauthorizedMs: shape.cacheUnauthorizedRequests === false ? 0 : ms(shape.unauthorizedTTL ?? '30s'),
		failurePolicy: shape.failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion',
		conditions: compileConditions((shape.matchConditions ?? []).map(({ expression = '' }) => expression)),
	};
}

function ms(duration: string): number {
	return Number(parseDuration(duration) / 1_000_000n);
}

function faultsOf({ apiVersion = '', kind, authorizers = [] }: FileShape): readonly string[] {
	if (!isOurs({ apiVersion, kind: kind ?? '' })) return ['it is no apiserver.config.k8s.io/v1 AuthorizationConfiguration'];
	if (authorizers.length === 0) return ['authorizers: Required value: at least one authorization mode must be defined'];
	const faults: string[] = [];
	const types = authorizers.map((a) => a.type);
	const names = authorizers.map((a) => a.name ?? '');
	for (const [i, { type = '', name = '', webhook }] of authorizers.entries()) {
		const at = `authorizers[${i}]`;
		if (type !== 'Webhook' && !PLAIN.some((known) => known === type)) faults.push(`${at}.type: Unsupported value: ${JSON.stringify(type)}`);
		if (type !== 'Webhook' && types.indexOf(type) !== i) faults.push(`${at}.type: Duplicate value: ${JSON.stringify(type)}`);
		if (name === '') faults.push(`${at}.name: Required value`);
		else if (names.indexOf(name) !== i) faults.push(`${at}.name: Duplicate value: ${JSON.stringify(name)}`);
		if (type === 'Webhook') faults.push(...webhookFaults(webhook, `${at}.webhook`));
		else if (webhook !== undefined) faults.push(`${at}.webhook: Invalid value: "non-null": may only be specified when type=Webhook`);
	}
	return faults;
}

function webhookFaults(webhook: WebhookShape | undefined, at: string): readonly string[] {
	if (webhook === undefined) return [`${at}: Required value: required when type=Webhook`];
	const faults: string[] = [];
	for (const field of ['timeout', 'authorizedTTL', 'unauthorizedTTL'] as const) {
		const value = webhook[field];
		if (value === undefined) {
			faults.push(`${at}.${field}: Required value`);
			continue;
		}
		try {
			if (ms(value) <= 0 || (field === 'timeout' && ms(value) > 30_000))
				faults.push(`${at}.${field}: Invalid value: ${JSON.stringify(value)}: must be > 0s${field === 'timeout' ? ' and <= 30s' : ''}`);
		} catch {
			faults.push(`${at}.${field}: Invalid value: ${JSON.stringify(value)}: no duration`);
		}
	}
	if (webhook.subjectAccessReviewVersion !== 'v1' && webhook.subjectAccessReviewVersion !== 'v1beta1')
		faults.push(`${at}.subjectAccessReviewVersion must be v1 or v1beta1`);
	if (webhook.failurePolicy !== 'NoOpinion' && webhook.failurePolicy !== 'Deny')
		faults.push(`${at}.failurePolicy must be NoOpinion or Deny`);
	if (webhook.connectionInfo?.type !== 'KubeConfigFile') faults.push(`${at}.connectionInfo.type must be KubeConfigFile`);
	else if (!isAbsolute(webhook.connectionInfo.kubeConfigFile ?? ''))
		faults.push(`${at}.connectionInfo.kubeConfigFile must be an absolute path`);
	const { matchConditions = [] } = webhook;
	if (matchConditions.length > 0 && webhook.matchConditionSubjectAccessReviewVersion !== 'v1')
		faults.push(`${at}.matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified`);
	if (matchConditions.length > MAX_CONDITIONS)
		return [...faults, `${at}.matchConditions: Too many: ${matchConditions.length}: must have at most ${MAX_CONDITIONS} items`];
	for (const [i, { expression = '' }] of matchConditions.entries())
		if (expression.trim() === '') faults.push(`${at}.matchConditions[${i}].expression: Required value`);
		else if (matchConditions.findIndex((other) => other.expression === expression) < i)
			faults.push(`${at}.matchConditions[${i}].expression: Duplicate value: ${JSON.stringify(expression)}`);
		else
			try {
				compileConditions([expression]);
			} catch (error) {
				faults.push(`${at}.matchConditions[${i}].expression: Invalid value: ${messageOf(error)}`);
			}
	return faults;
}
