/** Match conditions of webhooks. */
import type { MatchCondition } from '../../../../api/gen/types.ts';
import { webhookConditions, type PolicyExpressions } from '../../../../api/cel/admission/policy.ts';
import { MATCH_CONDITIONS_BUDGET } from '../../../../api/cel/environment.ts';
import { Lru } from '../../../../base/lru.ts';
import { AppError } from '../../../../base/errors.ts';
import type { AdmissionAttributes, Authorizer } from '../../contracts.ts';
import type { Versioned } from '../matching/versions.ts';
import type { MatchConditions } from '../webhooks/question.ts';
import { conditionsSeen, variablesOf } from './activation.ts';
import { conditionsHold } from './conditions.ts';
import { withDecisions } from './decisions.ts';
import { Evaluation } from './evaluation.ts';

const MAX_COMPILED = 200;

export class CelMatchConditions implements MatchConditions {
	readonly #authorizer: Authorizer;
	/** By their text. */
	readonly #compiled = new Lru<string, PolicyExpressions['conditions']>(MAX_COMPILED);

	constructor(authorizer: Authorizer) {
		this.#authorizer = authorizer;
	}

	async hold(
		conditions: readonly MatchCondition[],
		attributes: AdmissionAttributes,
		versioned: Versioned,
		signal: AbortSignal,
	): Promise<boolean> {
		const compiled = this.#compile(conditions);
		const outcome = await withDecisions(this.#authorizer, attributes.user, signal, (decide) =>
			conditionsHold(
				compiled,
				new Evaluation(variablesOf(conditionsSeen({ attributes, versioned, namespace: undefined }), decide), [], MATCH_CONDITIONS_BUDGET),
			),
		);
		if ('error' in outcome) throw new AppError('InvalidArgument', outcome.error);
		return outcome.matches;
	}

	#compile(conditions: readonly MatchCondition[]): PolicyExpressions['conditions'] {
		const key = JSON.stringify(conditions);
		let compiled = this.#compiled.get(key);
		if (compiled === undefined) {
			compiled = webhookConditions(conditions);
			this.#compiled.set(key, compiled);
		}
		return compiled;
	}
}
