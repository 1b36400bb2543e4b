/** What one validating policy says of one request with one set of parameters. Pure, but for the decisions it asks for. */
import type { ValidatingExpressions } from '../../../../api/cel/admission/policy.ts';
import type { AuditAnnotation, Validation } from '../../../../api/gen/types.ts';
import { MATCH_CONDITIONS_BUDGET, RUNTIME_BUDGET } from '../../../../api/cel/environment.ts';
import type { Decide } from '../../../../api/cel/admission/authorizer.ts';
import { variablesOf, type Seen } from './activation.ts';
import { conditionsHold } from './conditions.ts';
import { Evaluation, OutOfBudget, type Outcome } from './evaluation.ts';

export interface Verdict {
	/** What it complains about, by expression. */
	readonly denials: readonly { readonly index: number; readonly message: string; readonly reason: string }[];
	/** For the audit log. */
	readonly notes: readonly { readonly key: string; readonly value: string }[];
	/** Audit annotations that cannot be made: they refuse the request too. */
	readonly noteErrors: readonly string[];
}

const NOTHING: Verdict = { denials: [], notes: [], noteErrors: [] };
/** MaxEvaluatedMessageExpressionSizeBytes. */
const MAX_MESSAGE_BYTES = 5 * 1024;
const MAX_NOTE_LENGTH = 10 * 1024;

/** @param failsOpen errors are ignored */
export function verdict(expressions: ValidatingExpressions, seen: Seen, failsOpen: boolean, decide: Decide): Verdict {
	const variables = variablesOf(seen, decide);
	const evaluation = (budget: number): Evaluation => new Evaluation(variables, expressions.variables, budget);
	const failed = (message: string): Verdict => (failsOpen ? NOTHING : { ...NOTHING, denials: [{ index: 0, message, reason: 'Invalid' }] });
	try {
		const conditions = conditionsHold(expressions.conditions, evaluation(MATCH_CONDITIONS_BUDGET));
		if ('error' in conditions) return failed(conditions.error);
		if (!conditions.matches) return NOTHING;
		const main = evaluation(RUNTIME_BUDGET);
		const outcomes = expressions.validations.map(({ compiled, validation }) => main.evaluate(compiled, validation.expression));
		const messages = messagesOf(expressions, main);
		const denials = outcomes.flatMap((outcome, index) => {
			const { validation } = expressions.validations[index] as (typeof expressions.validations)[number];
			if ('error' in outcome) return failsOpen ? [] : [{ index, message: outcome.error, reason: 'Invalid' }];
			if (typeof messages === 'string')
				return failsOpen ? [] : [{ index, message: `failed messageExpression: ${messages}`, reason: 'Invalid' }];
			if (outcome.value === true) return [];
			return [{ index, message: messageFor(validation, messages[index]), reason: validation.reason ?? 'Invalid' }];
		});
		return { denials, ...notesOf(expressions, evaluation(RUNTIME_BUDGET), failsOpen) };
	} catch (error) {
		if (error instanceof OutOfBudget) return failed(error.message);
		throw error;
	}
}

/** A text: the budget did not last. */
function messagesOf({ validations }: ValidatingExpressions, evaluation: Evaluation): readonly (Outcome | undefined)[] | string {
	try {
		return validations.map(({ message, validation }) =>
			message === undefined ? undefined : evaluation.evaluate(message, validation.messageExpression ?? ''),
		);
	} catch (error) {
		if (error instanceof OutOfBudget) return error.message;
		throw error;
	}
}

/** The expression's message where it is one line of fair length, else the fixed one, else the expression itself. */
function messageFor({ message, expression }: Validation, outcome: Outcome | undefined): string {
	const made = outcome !== undefined && 'value' in outcome && typeof outcome.value === 'string' ? outcome.value.trim() : '';
	if (made !== '' && Buffer.byteLength(made) <= MAX_MESSAGE_BYTES && !made.includes('\n')) return made;
	const fixed = (message ?? '').trim();
	return fixed === '' ? `failed expression: ${expression.trim()}` : fixed;
}

function notesOf(
	{ annotations }: ValidatingExpressions,
	evaluation: Evaluation,
	failsOpen: boolean,
): Pick<Verdict, 'notes' | 'noteErrors'> {
	const notes: { readonly key: string; readonly value: string }[] = [];
	const noteErrors: string[] = [];
	for (const { annotation, compiled } of annotations) {
		const outcome = evaluation.evaluate(compiled, annotation.valueExpression);
		if ('error' in outcome) {
			if (!failsOpen) noteErrors.push(outcome.error);
		} else add(annotation, outcome.value);
	}
	return { notes, noteErrors };

	function add({ key }: AuditAnnotation, value: unknown): void {
		const text = typeof value === 'string' ? value.trim() : '';
		if (text !== '') notes.push({ key, value: text.slice(0, MAX_NOTE_LENGTH) });
	}
}
