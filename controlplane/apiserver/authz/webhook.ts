/** A service that decides, asked by SubjectAccessReviews; what it said is kept for a while (upstream's authorizer/webhook). */
import { hash } from 'node:crypto';
import type { SubjectAccessReview, SubjectAccessReviewStatus } from '../../../api/gen/types.ts';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { Attributes, Authorizer, Decision } from '../contracts.ts';
import type { AuthorizerWebhookMeasures, WebhookResult } from '../metrics/authorizer-metrics.ts';
import { isTimeout, REMOTE_RETRIES, type Attempted, type Remote } from '../webhook/remote.ts';
import { reviewIn } from '../webhook/review-answer.ts';
import type { WebhookAuthorizerOptions } from './configuration.ts';

const MAX_KEPT = 8192;
/** What is asked for may not be longer to be kept: who asks chooses it (upstream's maxControlledAttrCacheSize). */
const MAX_ASKED = 10_000;

export class WebhookAuthorizer implements Authorizer {
	readonly #options: Omit<WebhookAuthorizerOptions, 'target'>;
	readonly #remote: Remote;
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #measures: AuthorizerWebhookMeasures | undefined;
	readonly #kept = new Map<string, { readonly until: number; readonly decision: Decision }>();

	constructor(
		options: Omit<WebhookAuthorizerOptions, 'target'>,
		remote: Remote,
		clock: Clock,
		log: Log,
		measures?: AuthorizerWebhookMeasures,
	) {
		this.#measures = measures;
		this.#options = options;
		this.#remote = remote;
		this.#clock = clock;
		this.#log = log;
	}

	async authorize(asked: Attributes, signal: AbortSignal): Promise<Decision> {
		const { version, timeoutMs, failurePolicy } = this.#options;
		const failed = (error: unknown): Decision => ({
			allowed: false,
			denied: failurePolicy === 'Deny',
			reason: '',
			error: messageOf(error),
		});
		const spec = specOf(asked);
		try {
			if (!this.#isMatched(asked)) return NO_OPINION;
		} catch (error) {
			return failed(error);
		}
		// Not the question itself: selectors and groups may be as long as who asks likes.
		const key = hash('sha256', JSON.stringify(spec), 'base64');
		const kept = this.#kept.get(key);
		if (kept !== undefined && this.#clock.monotonic() < kept.until) return kept.decision;
		const review = {
			kind: 'SubjectAccessReview',
			apiVersion: `authorization.k8s.io/${version}`,
			metadata: {},
			spec: shown(spec, version),
			status: { allowed: false },
		};
		let last: WebhookResult = 'success';
		const attempted: Attempted = (ms, error) => {
			last = resultOf(error, signal);
			this.#measures?.asked(last, ms / 1000);
		};
		try {
			const answer = await this.#remote.post(review, timeoutMs, signal, REMOTE_RETRIES, attempted);
			const { status } = reviewIn(answer, review) as Partial<SubjectAccessReview>;
			const decision = decisionOf(status);
			this.#keep(asked, key, decision);
			return decision;
		} catch (error) {
			// Who went away was not let in.
			if (failurePolicy === 'NoOpinion' && !signal.aborted) this.#measures?.passedOver(last);
			this.#log.error('the authorization webhook failed', { why: messageOf(error) });
			return failed(error);
		}
	}

	/** One condition that does not hold is enough; one that fails counts only where none does not hold. */
	#isMatched(asked: Attributes): boolean {
		const { conditions } = this.#options;
		if (conditions.length === 0) return true;
		const spec = matchedSpec(asked);
		const started = this.#clock.monotonic();
		const decided = (outcome: 'match' | 'exclusion' | 'error'): void =>
			this.#measures?.conditions(outcome, (this.#clock.monotonic() - started) / 1000);
		let failure: { readonly error: unknown } | undefined;
		for (const { holds } of conditions)
			try {
				if (holds(spec)) continue;
				decided('exclusion');
				return false;
			} catch (error) {
				failure ??= { error };
			}
		decided(failure === undefined ? 'match' : 'error');
		if (failure !== undefined) throw failure.error;
		return true;
	}

	#keep(asked: Attributes, key: string, decision: Decision): void {
		const { authorizedMs, unauthorizedMs } = this.#options;
		const ms = decision.allowed ? authorizedMs : unauthorizedMs;
		if (ms <= 0 || lengthOf(asked) >= MAX_ASKED) return;
		if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value ?? '');
		this.#kept.set(key, { until: this.#clock.monotonic() + ms, decision });
	}
}

function resultOf(error: unknown, signal: AbortSignal): WebhookResult {
	if (error === undefined) return 'success';
	if (signal.aborted) return 'canceled';
	return isTimeout(error) ? 'timeout' : 'error';
}

const NO_OPINION: Decision = { allowed: false, denied: false, reason: '' };

type Spec = Readonly<Record<string, unknown>>;

/** The question as authorization/v1 writes it; empty fields are left out. Pure. */
export function specOf(asked: Attributes): Spec {
	const { name, uid, groups, extra } = asked.user;
	const user = { user: name, uid, groups: [...groups], extra };
	if (asked.type === 'path') return whole({ nonResourceAttributes: { path: asked.path, verb: asked.verb }, ...user });
	return whole({ resourceAttributes: { ...whole(namesOf(asked)), ...requirementsOf(asked) }, ...user });
}

/** The same for expressions: every text is there, empty ones too. Pure. */
export function matchedSpec(asked: Attributes): Spec {
	const { name, uid, groups, extra } = asked.user;
	const user = { user: name, uid, groups: [...groups], extra };
	if (asked.type === 'path') return { nonResourceAttributes: { path: asked.path, verb: asked.verb }, ...user };
	return { resourceAttributes: { ...namesOf(asked), ...requirementsOf(asked) }, ...user };
}

type OfResource = Attributes & { readonly type: 'resource' };

function namesOf({ namespace, verb, group, version, resource, subresource, name }: OfResource): Spec {
	return { namespace, verb, group, version, resource, subresource, name };
}

function requirementsOf({ selectors }: OfResource): Spec {
	const { fields = [], labels = [] } = selectors?.() ?? {};
	return {
		...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
		...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
	};
}

/** Of what the one who asks chooses. */
function lengthOf(asked: Attributes): number {
	if (asked.type === 'path') return asked.path.length + asked.verb.length;
	return Object.values(namesOf(asked)).reduce((all: number, text) => all + String(text).length, 0);
}

function whole(fields: Readonly<Record<string, unknown>>): Spec {
	return Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== '' && (typeof value !== 'object' || Object.keys(value ?? {}).length > 0)),
	);
}

/** v1beta1 calls the groups "group". */
function shown(spec: Spec, version: string): Spec {
	if (version === 'v1') return spec;
	const { groups, ...rest } = spec;
	return groups === undefined ? rest : { ...rest, group: groups };
}

function decisionOf({ allowed, denied = false, reason = '' }: Partial<SubjectAccessReviewStatus> = {}): Decision {
	if (denied && allowed === true)
		return { allowed: false, denied: true, reason, error: 'webhook subject access review returned both allow and deny response' };
	return { allowed: allowed === true, denied, reason };
}
