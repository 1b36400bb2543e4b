/** What each authorizer decided, and how webhooks among them answered, under upstream's names. */
import { Counter, DEFAULT_BUCKETS, Histogram, SeriesCounter, type Count, type Registry } from '../../../base/metrics.ts';
import type { Authorizer, Decision } from '../contracts.ts';

export type WebhookResult = 'success' | 'timeout' | 'error' | 'canceled';

/** Of one webhook. */
export interface AuthorizerWebhookMeasures {
	/** One attempt. */
	asked(result: WebhookResult, seconds: number): void;
	/** The last attempt failed, and others were asked. */
	passedOver(result: WebhookResult): void;
	conditions(outcome: 'match' | 'exclusion' | 'error', seconds: number): void;
}

const CONDITION_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
const RESULT = ['name', 'result'] as const;
const CONDITION = ['name', 'type'] as const;

export class AuthorizerMetrics {
	readonly #decided: SeriesCounter;
	/** By type, name and decision: authorizers that are made anew count on. */
	readonly #known = new Map<string, Count>();
	readonly #evaluations: Counter<(typeof RESULT)[number]>;
	readonly #seconds: Histogram<(typeof RESULT)[number]>;
	readonly #open: Counter<(typeof RESULT)[number]>;
	readonly #exclusions: Counter<(typeof CONDITION)[number]>;
	readonly #errors: Counter<(typeof CONDITION)[number]>;
	readonly #conditionSeconds: Histogram<(typeof CONDITION)[number]>;

	constructor(registry: Registry) {
		const registers = [registry];
		this.#decided = new SeriesCounter({
			name: 'apiserver_authorization_decisions_total',
			help: 'Total number of terminal decisions made by an authorizer split by authorizer type, name, and decision.',
			registers,
		});
		this.#evaluations = new Counter({
			...{ name: 'apiserver_authorization_webhook_evaluations_total', labelNames: RESULT, registers },
			help: 'Round-trips to authorization webhooks.',
		});
		this.#seconds = new Histogram({
			...{ name: 'apiserver_authorization_webhook_duration_seconds', labelNames: RESULT, registers, buckets: DEFAULT_BUCKETS },
			help: 'Request latency in seconds.',
		});
		this.#open = new Counter({
			...{ name: 'apiserver_authorization_webhook_evaluations_fail_open_total', labelNames: RESULT, registers },
			help: 'NoOpinion results due to webhook timeout or error.',
		});
		this.#exclusions = new Counter({
			...{ name: 'apiserver_authorization_match_condition_exclusions_total', labelNames: CONDITION, registers },
			help: 'Total number of exclusions when an authorization webhook is skipped because match conditions exclude it.',
		});
		this.#errors = new Counter({
			...{ name: 'apiserver_authorization_match_condition_evaluation_errors_total', labelNames: CONDITION, registers },
			help: 'Total number of errors when an authorization webhook encounters a match condition error split by authorizer type and name.',
		});
		this.#conditionSeconds = new Histogram({
			...{ name: 'apiserver_authorization_match_condition_evaluation_seconds', labelNames: CONDITION, registers },
			help: 'Authorization match condition evaluation time in seconds, split by authorizer type and name.',
			buckets: CONDITION_SECONDS,
		});
	}

	/** The authorizer, with what it allows and denies counted; no opinion is no decision. */
	counted(type: string, name: string, authorizer: Authorizer): Authorizer {
		const kept = (decision: string): Count => {
			const key = `${type}/${name}/${decision}`;
			const known = this.#known.get(key) ?? this.#decided.series({ type, name, decision });
			this.#known.set(key, known);
			return known;
		};
		const [allowed, denied] = [kept('allowed'), kept('denied')];
		const count = (decision: Decision): Decision => {
			if (decision.allowed) allowed.value++;
			else if (decision.denied) denied.value++;
			return decision;
		};
		const { decide } = authorizer;
		return {
			authorize: async (asked, signal) => count(await authorizer.authorize(asked, signal)),
			...(decide === undefined ? {} : { decide: (asked) => count(decide.call(authorizer, asked)) }),
		};
	}

	webhook(name: string): AuthorizerWebhookMeasures {
		const of = { name, type: 'Webhook' };
		return {
			asked: (result, seconds) => {
				this.#evaluations.inc({ name, result });
				this.#seconds.observe({ name, result }, seconds);
			},
			passedOver: (result) => this.#open.inc({ name, result }),
			conditions: (outcome, seconds) => {
				this.#conditionSeconds.observe(of, seconds);
				if (outcome === 'exclusion') this.#exclusions.inc(of);
				if (outcome === 'error') this.#errors.inc(of);
			},
		};
	}
}
