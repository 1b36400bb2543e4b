/** How calls of admission webhooks and match conditions went, under upstream's names. */
import { Counter, Histogram, type Registry } from '../../../base/metrics.ts';

/** Upstream's words for the two kinds of webhooks. */
export type WebhookType = 'admit' | 'validating';

export type WebhookOutcome =
	| { readonly type: 'allowed' }
	/** It said no, with this code. */
	| { readonly type: 'refused'; readonly code: number }
	/** It gave no answer that counts; `ignored` where its policy lets that pass. */
	| { readonly type: 'failed'; readonly ignored: boolean }
	/** It could not be asked at all. */
	| { readonly type: 'broken' };

export interface WebhookMeasures {
	called(
		call: { readonly name: string; readonly type: WebhookType; readonly operation: string; readonly seconds: number },
		outcome: WebhookOutcome,
	): void;
	conditions(of: ConditionsOf, outcome: 'match' | 'exclusion' | 'error', seconds: number): void;
}

export interface ConditionsOf {
	readonly name: string;
	readonly kind: 'webhook' | 'policy';
	readonly type: 'admit' | 'validate';
	readonly operation: string;
}

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
const CONDITION_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];
/** Codes above are one. */
const MAX_CODE = 600;
/** What a failed call counts as: service unavailable. */
const FAILED = 503;

export function webhookMetrics(registry: Registry): WebhookMeasures {
	const registers = [registry];
	const duration = new Histogram<'name' | 'operation' | 'rejected' | 'type'>({
		...{ name: 'apiserver_admission_webhook_admission_duration_seconds', labelNames: ['name', 'operation', 'rejected', 'type'], registers },
		help: 'Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).',
		buckets: SECONDS,
	});
	const requests = new Counter<'code' | 'name' | 'operation' | 'rejected' | 'type'>({
		...{ name: 'apiserver_admission_webhook_request_total', labelNames: ['code', 'name', 'operation', 'rejected', 'type'], registers },
		help: 'Admission webhook request total, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
	});
	const rejections = new Counter<'error_type' | 'name' | 'operation' | 'rejection_code' | 'type'>({
		name: 'apiserver_admission_webhook_rejection_count',
		...{ labelNames: ['error_type', 'name', 'operation', 'rejection_code', 'type'], registers },
		help: 'Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.',
	});
	const open = new Counter<'name' | 'type'>({
		...{ name: 'apiserver_admission_webhook_fail_open_count', labelNames: ['name', 'type'], registers },
		help: 'Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit).',
	});
	const conditionNames = ['kind', 'name', 'operation', 'type'] as const;
	type ConditionLabel = (typeof conditionNames)[number];
	const conditionErrors = new Counter<ConditionLabel>({
		...{ name: 'apiserver_admission_match_condition_evaluation_errors_total', labelNames: conditionNames, registers },
		help: 'Admission match condition evaluation errors count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
	});
	const exclusions = new Counter<ConditionLabel>({
		...{ name: 'apiserver_admission_match_condition_exclusions_total', labelNames: conditionNames, registers },
		help: 'Admission match condition evaluation exclusions count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit).',
	});
	const conditionSeconds = new Histogram<ConditionLabel>({
		...{ name: 'apiserver_admission_match_condition_evaluation_seconds', labelNames: conditionNames, registers },
		help: 'Admission match condition evaluation time in seconds, identified by name and broken out for each kind containing matchConditions (webhook or policy), operation and type (validate or admit).',
		buckets: CONDITION_SECONDS,
	});
	return {
		called({ name, type, operation, seconds }, outcome) {
			const code = Math.min(codeOf(outcome), MAX_CODE);
			const errorType = errorTypeOf(outcome);
			const rejected = String(errorType !== undefined);
			duration.observe({ name, operation, rejected, type }, seconds);
			requests.inc({ name, operation, rejected, type, code: String(code) });
			if (errorType !== undefined) rejections.inc({ name, operation, type, error_type: errorType, rejection_code: String(code) });
			if (outcome.type === 'failed' && outcome.ignored) open.inc({ name, type });
		},
		conditions(of, outcome, seconds) {
			conditionSeconds.observe({ ...of }, seconds);
			if (outcome === 'exclusion') exclusions.inc({ ...of });
			if (outcome === 'error') conditionErrors.inc({ ...of });
		},
	};
}

function codeOf(outcome: WebhookOutcome): number {
	switch (outcome.type) {
		case 'allowed':
			return 200;
		case 'refused':
			return outcome.code;
		case 'failed':
			return FAILED;
		case 'broken':
			return 0;
	}
}

/** Undefined: the request went on. */
function errorTypeOf(outcome: WebhookOutcome): string | undefined {
	switch (outcome.type) {
		case 'allowed':
			return undefined;
		case 'refused':
			return 'no_error';
		case 'failed':
			return outcome.ignored ? undefined : 'calling_webhook_error';
		case 'broken':
			return 'apiserver_internal_error';
	}
}
