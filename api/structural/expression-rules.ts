/** Rules for expressions of a schema: that they compile, and that what they may cost stays within upstream's limits. */
import { MAX_COST } from '../cel/ranges.ts';
import { fieldForbidden, invalidValue, type FieldError } from '../field-error.ts';
import { rulesOf } from './cel-rules.ts';
import type { SchemaSkips } from './schema-options.ts';
import type { Rule, Schema } from './schema.ts';

/** Limits of one expression and of all in a schema (apiextensions validation.go). */
const EXPRESSION_LIMIT = 10_000_000;
const SCHEMA_LIMIT = 100_000_000;
/** So many of the most expensive are named. */
const MOST_EXPENSIVE = 4;
/** An expression is named for its part in the whole from this share of the limit on. */
const NAMED_SHARE = 0.01;
const ADVICE = '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

/** How often the values at a place may occur, and the sum of what has been seen. */
export interface CostContext {
	/** Undefined: as often as fits into a request. */
	readonly times: number | undefined;
	readonly total: Total;
	/** Of the schemas inside of one. */
	inside(schema: Schema): CostContext;
}

interface Total {
	sum: number;
	readonly seen: { readonly path: string; readonly cost: number }[];
}

const product = (a: number, b: number): number => Math.min(a === 0 || b === 0 ? 0 : a * b, MAX_COST);

function context(times: number | undefined, total: Total): CostContext {
	return {
		times,
		total,
		inside: (schema) => {
			const most = mostInside(schema);
			return context(times === undefined || most === undefined ? undefined : product(times, Math.max(most, 0)), total);
		},
	};
}

/** How many values may stand in one of the schema: it goes by its type alone, whatever else it declares (extractMaxElements). */
function mostInside({ type, additionalProperties, maxProperties, maxItems }: Schema): number | undefined {
	if (type === 'array') return maxItems;
	return type === 'object' && additionalProperties !== undefined ? maxProperties : 1;
}

export function rootCost(): CostContext {
	return context(1, { sum: 0, seen: [] });
}

/** Where a schema stands that has expressions. */
interface Place {
	readonly isRoot: boolean;
	readonly uncorrelatable: string | undefined;
	readonly skips: SchemaSkips;
}

export function expressionErrors(schema: Schema, path: string, { isRoot, uncorrelatable, skips }: Place, cost: CostContext): FieldError[] {
	const limit = skips.has('expensive') ? Number.POSITIVE_INFINITY : EXPRESSION_LIMIT;
	const out: FieldError[] = [];
	rulesOf(schema, isRoot).forEach((compiled, i) => {
		const { rule } = compiled;
		const at = `${path}.x-kubernetes-validations[${i}]`;
		const times = cost.times ?? compiled.maxTimes;
		const ruleCost = product(compiled.maxCost, times);
		if (ruleCost > limit) out.push(fieldForbidden(`${at}.rule`, exceeded('estimated rule cost', ruleCost, EXPRESSION_LIMIT)));
		observe(cost.total, `${at}.rule`, ruleCost);
		if (compiled.error !== undefined) out.push(invalidValue(`${at}.rule`, internalRule(rule), compiled.error));
		if (compiled.messageError !== undefined) out.push(invalidValue(`${at}.messageExpression`, internalRule(rule), compiled.messageError));
		else if (compiled.message !== undefined) {
			const messageCost = compiled.maxMessageCost;
			if (messageCost > limit)
				out.push(fieldForbidden(`${at}.messageExpression`, exceeded('estimated messageExpression cost', messageCost, EXPRESSION_LIMIT)));
			observe(cost.total, `${at}.messageExpression`, messageCost);
		}
		if (compiled.usesOldSelf) {
			if (uncorrelatable !== undefined)
				out.push(
					invalidValue(
						`${at}.rule`,
						rule.rule,
						`oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`,
					),
				);
		} else if (rule.optionalOldSelf !== undefined)
			out.push(invalidValue(`${at}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule'));
	});
	return out;
}

function observe(total: Total, path: string, cost: number): void {
	total.sum = Math.min(total.sum + cost, MAX_COST);
	total.seen.push({ path, cost });
}

/** When all together are too expensive: the worst, and the whole. */
export function totalCostErrors({ total }: CostContext, path: string): FieldError[] {
	if (total.sum <= SCHEMA_LIMIT) return [];
	const worst = total.seen
		.filter(({ cost }) => cost >= SCHEMA_LIMIT * NAMED_SHARE)
		.toSorted((a, b) => b.cost - a.cost)
		.slice(0, MOST_EXPENSIVE);
	return [
		...worst.map((one) =>
			fieldForbidden(one.path, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'),
		),
		fieldForbidden(
			path,
			exceeded('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema', total.sum, SCHEMA_LIMIT),
		),
	];
}

function exceeded(what: string, cost: number, limit: number): string {
	const factor = cost / limit;
	const text = factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
	return `${what} exceeds budget by factor of ${text} ${ADVICE}`;
}

/** A rule as Go's internal type prints it. */
function internalRule({ rule, message = '', messageExpression = '', reason, fieldPath = '', optionalOldSelf }: Rule): object {
	return {
		Rule: rule,
		Message: message,
		MessageExpression: messageExpression,
		Reason: reason ?? null,
		FieldPath: fieldPath,
		OptionalOldSelf: optionalOldSelf ?? null,
	};
}
