/** Conditions under which an authorization webhook is asked: expressions over the SubjectAccessReview's spec, as `request`. */
import { compile, environment, MATCH_CONDITIONS_BUDGET } from '../../../api/cel/environment.ts';
import { Budget } from '../../../api/cel/runs.ts';
import { fromJson } from '../../../api/cel/json.ts';
import { BOOL, DYN, listOf, mapOf, objectOf, STRING, type Type } from '../../../api/cel/types.ts';
import { AppError, messageOf } from '../../../base/errors.ts';

export interface Condition {
	readonly expression: string;
	/** Throws where the expression fails. */
	readonly holds: (spec: object) => boolean;
}

const requirement = objectOf('kubernetes.SelectorRequirement', { key: STRING, operator: STRING, values: listOf(STRING) });
const selector = objectOf('kubernetes.SelectorAttributes', { rawSelector: STRING, requirements: listOf(requirement) });
const SPEC: Type = objectOf('kubernetes.SubjectAccessReviewSpec', {
	resourceAttributes: objectOf('kubernetes.ResourceAttributes', {
		...{ namespace: STRING, verb: STRING, group: STRING, version: STRING, resource: STRING, subresource: STRING, name: STRING },
		...{ fieldSelector: selector, labelSelector: selector },
	}),
	nonResourceAttributes: objectOf('kubernetes.NonResourceAttributes', { path: STRING, verb: STRING }),
	...{ user: STRING, groups: listOf(STRING), extra: mapOf(STRING, listOf(STRING)), uid: STRING },
});
const ENVIRONMENT = environment({ variables: { request: SPEC } });

/** AppError InvalidArgument for what does not compile or gives no bool. */
export function compileConditions(expressions: readonly string[]): readonly Condition[] {
	return expressions.map((expression) => {
		try {
			const program = compile(ENVIRONMENT, expression);
			if (program.type.kind !== BOOL.kind && program.type.kind !== DYN.kind) throw new Error('must evaluate to bool');
			const holds = (spec: object): boolean => {
				const request = fromJson(spec, SPEC);
				return program.evaluate((name) => (name === 'request' ? request : undefined), new Budget(MATCH_CONDITIONS_BUDGET)) === true;
			};
			return { expression, holds };
		} catch (cause) {
			throw new AppError('InvalidArgument', `${JSON.stringify(expression)}: ${messageOf(cause)}`, { cause });
		}
	});
}
