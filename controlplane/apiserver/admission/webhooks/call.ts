/** One call of one webhook: the question, its answer checked, notes and warnings passed on, failures as upstream words them. */
import { badRequest, internalError, StatusError } from '../../../../api/status.ts';
import { qualifiedName } from '../../../../api/validation/names.ts';
import type { Clock } from '../../../../base/clock.ts';
import { AppError, messageOf } from '../../../../base/errors.ts';
import type { AdmissionAttributes } from '../../contracts.ts';
import type { WebhookMeasures, WebhookOutcome } from '../../metrics/webhook-metrics.ts';
import type { WebhookCaller } from '../../webhook/caller.ts';
import type { Versioned } from '../matching/versions.ts';
import type { Hook } from './hook.ts';
import { denial, patchOf, readable, review, reviewVersion, verified, type ReviewResponse } from './review.ts';

interface Deps {
	readonly caller: WebhookCaller;
	readonly clock: Clock;
	/** Absent: nobody counts. */
	readonly measures?: WebhookMeasures | undefined;
}

/** Which of the calls of a write this is, as audit events number them. */
export interface Turn {
	readonly type: 'mutation' | 'validation';
	readonly round: number;
	readonly index: number;
}

/** What a webhook that allows wants changed; empty: nothing. */
export interface Allowed {
	readonly patch: readonly unknown[];
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/** The answer that allows; undefined when the call failed and its policy lets that pass. StatusError for a no, or for a failure that counts as one. */
export async function call(
	deps: Deps,
	hook: Hook,
	attributes: AdmissionAttributes,
	versioned: Versioned,
	turn: Turn,
	signal: AbortSignal,
): Promise<Allowed | undefined> {
	const { clock, measures } = deps;
	const started = clock.monotonic();
	let outcome: WebhookOutcome = { type: 'broken' };
	try {
		return await called(deps, hook, attributes, versioned, turn, signal, (how) => (outcome = how));
	} finally {
		const { name } = hook.webhook;
		const ms = clock.monotonic() - started;
		attributes.took?.(turn.type === 'mutation' ? 'mutating-webhook' : 'validating-webhook', ms);
		measures?.called(
			{ name, type: turn.type === 'mutation' ? 'admit' : 'validating', operation: attributes.operation, seconds: ms / 1000 },
			outcome,
		);
	}
}

/** @param ended is told how, if it got as far as a call */
async function called(
	{ caller, clock }: Deps,
	hook: Hook,
	attributes: AdmissionAttributes,
	versioned: Versioned,
	turn: Turn,
	signal: AbortSignal,
	ended: (outcome: WebhookOutcome) => void,
): Promise<Allowed | undefined> {
	const { webhook } = hook;
	const { name, timeoutSeconds: seconds = DEFAULT_TIMEOUT_SECONDS } = webhook;
	if (attributes.dryRun && webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun')
		throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
	let response: ReviewResponse;
	try {
		response = await asked();
	} catch (error) {
		return failed(error);
	}
	for (const [key, value] of Object.entries(response.auditAnnotations ?? {}))
		if (!key.includes('/') && qualifiedName(`${name}/${key}`).length === 0) attributes.annotate?.(`${name}/${key}`, value);
	for (const warning of response.warnings ?? []) attributes.warn(warning);
	if (response.allowed !== true) {
		const refused = denial(name, response.status);
		ended({ type: 'refused', code: refused.httpCode });
		throw refused;
	}
	let patch: readonly unknown[];
	try {
		patch = turn.type === 'mutation' ? patchOf(response) : [];
	} catch (error) {
		return failed(error);
	}
	ended({ type: 'allowed' });
	return { patch };

	/** Calls that fail count as their policy says. */
	function failed(error: unknown): undefined {
		signal.throwIfAborted();
		if (!(error instanceof AppError) || error instanceof StatusError) throw error;
		ended({ type: 'failed', ignored: webhook.failurePolicy === 'Ignore' });
		const why = `failed calling webhook ${JSON.stringify(name)}: ${error.message}`;
		if (webhook.failurePolicy !== 'Ignore') throw internalError(why);
		const { type, round, index } = turn;
		const what = type === 'validation' ? 'validating' : type;
		attributes.annotate?.(`failed-open.${what}.webhook.admission.k8s.io/round_${round}_index_${index}`, name);
	}

	async function asked(): Promise<ReviewResponse> {
		const apiVersion = reviewVersion(webhook.admissionReviewVersions);
		const uid = clock.uuid();
		const body = review(apiVersion, uid, attributes, versioned.named, versioned);
		let answer: unknown;
		try {
			answer = readable(await caller.post(webhook.clientConfig, body, seconds * 1000, signal, `timeout=${seconds}s`), apiVersion);
		} catch (error) {
			signal.throwIfAborted();
			throw new AppError('Unavailable', `failed to call webhook: ${messageOf(error)}`, { cause: error });
		}
		try {
			return verified(answer, apiVersion, uid, turn.type === 'mutation');
		} catch (error) {
			throw new AppError('Unavailable', `received invalid webhook response: ${messageOf(error)}`, { cause: error });
		}
	}
}
