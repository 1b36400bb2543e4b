/** What one validating policy says of one request with one set of parameters. Pure, but for the decisions it asks for. */
import type { ValidatingExpressions } from '../../../../api/cel/admission/policy.ts';
import type { AuditAnnotation, Validation } from '../../../../api/gen/types.ts';
import { MATCH_CONDITIONS_BUDGET, RUNTIME_BUDGET } from '../../../../api/cel/environment.ts';
import type { Decide } from '../../../../api/cel/admission/authorizer.ts';
import { conditionsSeen, variablesOf, type Seen } from './activation.ts';
import { conditionsHold } from './conditions.ts';
import { Evaluation, OutOfBudget, type Outcome } from './evaluation.ts';

export interface PolicyDenial {
	readonly index: number;
	readonly message: string;
	readonly reason: string;
	/** It could not be evaluated. */
	readonly isError: boolean;
}

export interface Verdict {
	/** What it complains about, by expression. */
	readonly denials: readonly PolicyDenial[];
	/** Errors that the policy lets pass. */
	readonly ignored: readonly string[];
	/** What the match conditions said; undefined where there are none. */
	readonly conditions?: { readonly outcome: 'match' | 'exclusion' | 'error'; readonly seconds: number } | undefined;
	/** For the audit log. */
	readonly notes: readonly { readonly key: string; readonly value: string }[];
	/** Audit annotations that cannot be made: they refuse the request too. */
	readonly noteErrors: readonly string[];
}

const NOTHING: Verdict = { denials: [], ignored: [], notes: [], noteErrors: [] };
/** MaxEvaluatedMessageExpressionSizeBytes. */
const MAX_MESSAGE_BYTES = 5 * 1024;
const MAX_NOTE_BYTES = 10 * 1024;

/**
 * @param failsOpen errors are ignored
 * @param time milliseconds, to say how long conditions take
 */
export function verdict(
	expressions: ValidatingExpressions,
	seen: Seen,
	failsOpen: boolean,
	decide: Decide,
	time: () => number = () => 0,
): Verdict {
	const variables = variablesOf(seen, decide);
	const evaluation = (budget: number, of = variables): Evaluation => new Evaluation(of, expressions.variables, budget);
	const failed = (message: string): Verdict =>
		failsOpen ? { ...NOTHING, ignored: [message] } : { ...NOTHING, denials: [{ index: 0, message, reason: 'Invalid', isError: true }] };
	let conditions: Verdict['conditions'];
	try {
		const started = time();
		const held = conditionsHold(expressions.conditions, evaluation(MATCH_CONDITIONS_BUDGET, variablesOf(conditionsSeen(seen), decide)));
		const outcome = 'error' in held ? 'error' : held.matches ? 'match' : 'exclusion';
		if (expressions.conditions.length > 0) conditions = { outcome, seconds: (time() - started) / 1000 };
		if ('error' in held) return { ...failed(held.error), conditions };
		if (!held.matches) return { ...NOTHING, conditions };
		const main = evaluation(RUNTIME_BUDGET);
		const outcomes = expressions.validations.map(({ compiled, validation }) => main.evaluate(compiled, validation.expression));
		const messages = messagesOf(expressions, main);
		const ignored: string[] = [];
		const denials = outcomes.flatMap((outcome, index): PolicyDenial[] => {
			const { validation } = expressions.validations[index] as (typeof expressions.validations)[number];
			const wrong = 'error' in outcome ? outcome.error : typeof messages === 'string' ? `failed messageExpression: ${messages}` : undefined;
			if (wrong !== undefined) {
				if (failsOpen) ignored.push(wrong);
				return failsOpen ? [] : [{ index, message: wrong, reason: 'Invalid', isError: true }];
			}
			if (typeof messages === 'string' || ('value' in outcome && outcome.value === true)) return [];
			return [{ index, message: messageFor(validation, messages[index]), reason: validation.reason ?? 'Invalid', isError: false }];
		});
		return { denials, ignored, conditions, ...notesOf(expressions, evaluation(RUNTIME_BUDGET), failsOpen) };
	} catch (error) {
		if (error instanceof OutOfBudget) return { ...failed(error.message), conditions };
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
		if (text !== '') notes.push({ key, value: Buffer.from(text).subarray(0, MAX_NOTE_BYTES).toString() });
	}
}
