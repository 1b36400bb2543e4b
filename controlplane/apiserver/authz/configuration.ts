/** Which authorizers are asked, in which order: upstream's --authorization-mode, or its AuthorizationConfiguration (apiserver.config.k8s.io/v1). */
import { parseDuration } from '../../../api/time.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { parseYaml } from '../../../base/parse-yaml.ts';
import { Shape } from '../../../base/shape.ts';
import { remoteTarget, type RemoteTarget } from '../webhook/remote.ts';
import type { AbacPolicy } from './abac.ts';
import { authorizerFaults } from './configuration-faults.ts';
import { PLAIN, type AuthorizerShape, type WebhookShape } from './configuration-shape.ts';
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

const TEXTS = [
	'authorizedTTL',
	'unauthorizedTTL',
	'timeout',
	'subjectAccessReviewVersion',
	'matchConditionSubjectAccessReviewVersion',
	'failurePolicy',
] as const;
const FLAGS = ['cacheAuthorizedRequests', 'cacheUnauthorizedRequests'] as const;

interface FileShape {
	readonly apiVersion?: string;
	readonly kind?: string;
	readonly authorizers?: readonly AuthorizerShape[];
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
	const faults = isOurs(file ?? {})
		? authorizerFaults(file?.authorizers ?? [])
		: ['it is no apiserver.config.k8s.io/v1 AuthorizationConfiguration'];
	if (faults.length > 0)
		throw new AppError('InvalidArgument', `The authorization configuration "${source}" is wrong: ${faults.join('; ')}`);
	return Promise.all(
		(file?.authorizers ?? []).map(async ({ type, name = '', webhook = {} }): Promise<AuthorizerOptions> => {
			const plain = PLAIN.find((known) => known === type);
			return plain === undefined ? { type: 'Webhook', name, webhook: await webhookOf(webhook) } : { type: plain };
		}),
	);
}

/** Authorizers of a file that is known to be good, but for webhooks: they must stay in it while the server runs. */
export function plainTypesIn(text: string): readonly string[] {
	const { authorizers = [] } = (parseYaml(text) ?? {}) as FileShape;
	return authorizers.flatMap(({ type = '' }) => (type === 'Webhook' ? [] : [type]));
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
		timeoutMs: ms(shape.timeout ?? '0'),
		authorizedMs: shape.cacheAuthorizedRequests === false ? 0 : lifeMs(shape.authorizedTTL, 300_000),
		unauthorizedMs: shape.cacheUnauthorizedRequests === false ? 0 : lifeMs(shape.unauthorizedTTL, 30_000),
		failurePolicy: shape.failurePolicy === 'Deny' ? 'Deny' : 'NoOpinion',
		conditions: compileConditions((shape.matchConditions ?? []).map(({ expression = '' }) => expression)),
	};
}

/** None, or none at all, is the default. */
function lifeMs(given: string | undefined, unless: number): number {
	const life = given === undefined ? 0 : ms(given);
	return life === 0 ? unless : life;
}

function ms(duration: string): number {
	return Number(parseDuration(duration) / 1_000_000n);
}
