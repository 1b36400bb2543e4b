/** x-kubernetes-validations run on a value, and on the value before where a rule compares with it; of what is unchanged a failure only warns. */
import { RUNTIME_BUDGET, PER_CALL_LIMIT, evaluated, type Program } from '../cel/environment.ts';
import { CostExceeded } from '../cel/errors.ts';
import { escapedField, fromJson } from '../cel/json.ts';
import { Optional, type Value } from '../cel/values.ts';
import { duplicate, fieldForbidden, invalidValue, required, type FieldError } from '../field-error.ts';
import { goQuote } from '../go-quote.ts';
import { declaredOf, type Declared } from './cel-types.ts';
import { rulesOf, type CompiledRule, type RuleObserver } from './cel-rules.ts';
import { isUnchanged, oldField, oldItem, oldOf, type Before, type Old } from './correlate.ts';
import { additionalOf, isObject, propertyOf, type Schema } from './schema.ts';

/** Upstream's longest message of an expression. */
const MAX_MESSAGE_BYTES = 5 * 1024;

interface Run {
	readonly errors: FieldError[];
	/** Negative: used up. */
	budget: number;
	readonly observer: RuleObserver | undefined;
	readonly ratcheting: boolean;
	readonly warn: ((text: string) => void) | undefined;
}

/** Where a value stands. */
interface Place {
	readonly path: string;
	/** As which type the place is seen from around it; undefined: it has none, and its rules cannot be run. */
	readonly declared: Declared | undefined;
	readonly old: Old;
	/** Whether the nearest place around that has an old value is as it was. */
	readonly around: () => boolean;
	readonly isResource: boolean;
	readonly isConverted?: boolean;
}

export interface RuleOptions {
	readonly isResource?: boolean;
	readonly observer?: RuleObserver | undefined;
	/** Whether what is as it was before may fail. */
	readonly ratcheting?: boolean;
	/** Hears of it. */
	readonly warn?: ((text: string) => void) | undefined;
	/** What it all may cost, and what is left of it afterwards; a budget of its own if none is given. */
	readonly budget?: Budget | undefined;
}

/** Negative: used up. */
export interface Budget {
	left: number;
}

/** @param before the whole value before an update */
export function checkRules(
	value: unknown,
	schema: Schema,
	before?: Before,
	{ isResource = true, ratcheting = true, observer, warn, budget = { left: RUNTIME_BUDGET } }: RuleOptions = {},
): FieldError[] {
	if (!hasRules(schema)) return [];
	const run: Run = { errors: [], budget: budget.left, observer, ratcheting, warn };
	const began = observer?.now() ?? 0;
	walk(run, value, schema, {
		path: '',
		declared: declaredOf(schema, isResource),
		old: oldOf(before, schema),
		around: () => false,
		isResource,
	});
	observer?.evaluated(observer.now() - began);
	budget.left = run.budget;
	return run.errors;
}

const NO_TYPE = 'rule compiler initialization error: failed to convert to declType for CEL validation rules';

const withRules = new WeakMap<Schema, boolean>();

/** Whether there is any rule here or below. */
function hasRules(schema: Schema | undefined): boolean {
	if (schema === undefined) return false;
	let found = withRules.get(schema);
	if (found === undefined) {
		found =
			(schema['x-kubernetes-validations'] ?? []).length > 0 ||
			hasRules(schema.items) ||
			hasRules(additionalOf(schema)) ||
			Object.values(schema.properties ?? {}).some((property) => hasRules(property));
		withRules.set(schema, found);
	}
	return found;
}

function walk(run: Run, value: unknown, schema: Schema | undefined, place: Place): void {
	if (schema === undefined || value === null || value === undefined || !hasRules(schema) || run.budget < 0) return;
	const { declared } = place;
	if (declared !== undefined) rules(run, value, schema, place);
	else if ((schema['x-kubernetes-validations'] ?? []).length > 0)
		run.errors.push(invalidValue(place.path === '' ? '<nil>' : place.path, schema.type ?? '', NO_TYPE));
	const { path, old, isResource } = place;
	const unchanged = onceOnly(() => isUnchanged(old, value));
	const around = old === undefined ? place.around : unchanged;
	const inner = (path: string, of: Declared | undefined, old: Old): Place => ({ path, declared: of, old, around, isResource: false });
	if (Array.isArray(value)) {
		for (const [i, item] of (value as unknown[]).entries())
			if (run.budget >= 0) walk(run, item, schema.items, inner(`${path}[${i}]`, declared?.items, oldItem(old, item)));
	} else if (isObject(value))
		for (const key of Object.keys(value).sort()) {
			if (run.budget < 0) return;
			const property = propertyOf(schema, key);
			const before = oldField(old, key);
			if (property === undefined) {
				walk(run, value[key], additionalOf(schema), inner(`${path}[${key}]`, declared?.items, before));
				continue;
			}
			const of = fieldOf(declared, key, property);
			if (of === undefined) continue;
			// Type and version were converted: that they are as they were says nothing.
			if (isResource && (key === 'apiVersion' || key === 'kind'))
				walk(run, value[key], property, { ...inner(key, of, before), around: () => false, isConverted: true });
			else walk(run, value[key], property, inner(path === '' ? key : `${path}.${key}`, of, before));
		}
}

/** What no expression can name is looked at by itself. */
function fieldOf(around: Declared | undefined, key: string, schema: Schema): Declared | undefined {
	const name = escapedField(key);
	return name === undefined ? declaredOf(schema, schema['x-kubernetes-embedded-resource'] === true) : around?.fields?.get(name);
}

function rules(run: Run, value: unknown, schema: Schema, { path, old, around, isResource, isConverted = false }: Place): void {
	const resource = isResource || schema['x-kubernetes-embedded-resource'] === true;
	const compiled = rulesOf(schema, isResource, run.observer);
	if (compiled.length === 0) return;
	if (run.budget <= 0) {
		usedUp(run, path, schema, OUT_OF_BUDGET);
		return;
	}
	const type = declaredOf(schema, resource)?.type;
	// Made where a rule uses it: what is invalid and unchanged is let be, and fails only there.
	const self = onceOnly(() => fromJson(value, type));
	const before = old === undefined || old.value === null ? undefined : onceOnly(() => fromJson(old.value, type));
	// What an optional holds has lost the types of the schema inside: nulls are values, times are texts, and lists have an order.
	const held =
		old === undefined || old.value === null ? undefined : onceOnly(() => fromJson(old.value, isNested(old.value) ? undefined : type));
	const isSame = onceOnly(() => run.ratcheting && !isConverted && (old === undefined ? around() : isUnchanged(old, value)));
	const comparing = compiled.some(({ usesOldSelf }) => usesOldSelf);
	const named = (oldSelf: () => Value | undefined) => (name: string) =>
		name === 'self' ? self() : name === 'oldSelf' ? oldSelf() : undefined;
	for (const rule of compiled) {
		const optional = rule.rule.optionalOldSelf === true;
		if (rule.usesOldSelf && !optional && before === undefined) continue;
		one(run, rule, {
			path,
			type: schema.type ?? '',
			given: value,
			variables: named(() => (optional ? (held === undefined ? Optional.none : Optional.of(held())) : before?.())),
			// Messages never see an optional.
			ofMessage: named(() => (comparing ? before?.() : undefined)),
			ratcheted: () => !rule.usesOldSelf && isSame(),
		});
		if (run.budget < 0) return;
	}
}

const isNested = (value: unknown): boolean => typeof value === 'object';

function onceOnly<T>(make: () => T): () => T {
	let made: { readonly value: T } | undefined;
	return () => (made ??= { value: make() }).value;
}

interface Evaluation {
	readonly path: string;
	readonly type: string;
	readonly given: unknown;
	readonly variables: (name: string) => Value | undefined;
	readonly ofMessage: (name: string) => Value | undefined;
	/** Whether a failure only warns. */
	readonly ratcheted: () => boolean;
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';

function usedUp(run: Run, path: string, { type = '' }: Pick<Schema, 'type'>, why: string): void {
	run.errors.push(invalidValue(path === '' ? '<nil>' : path, type, why));
	run.budget = -1;
}

function one(run: Run, compiled: CompiledRule, evaluation: Evaluation): void {
	const { path, type, given, variables, ratcheted } = evaluation;
	const { program, error, rule } = compiled;
	const wrong = (why: string): unknown => run.errors.push(invalidValue(path === '' ? '<nil>' : path, type, why));
	if (program === undefined) {
		if (error !== undefined) wrong(`rule compile error: ${error}`);
		return;
	}
	const outcome = evaluated(program, variables, PER_CALL_LIMIT);
	const name = (rule.message ?? '').trim() === '' ? rule.rule.trim() : (rule.message ?? '').trim();
	if (outcome.cost > run.budget) return usedUp(run, path, { type }, OUT_OF_BUDGET);
	run.budget -= outcome.cost;
	if ('error' in outcome) {
		const { message } = outcome.error;
		if (outcome.error instanceof CostExceeded)
			return usedUp(
				run,
				path,
				{ type },
				`'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`,
			);
		if (message.startsWith('no such overload'))
			wrong(`'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`);
		else wrong(`${message} evaluating rule: ${name}`);
		return;
	}
	if (outcome.value === true) return;
	const at = [path, compiled.fieldPath].filter((part) => part !== '').join('.') || '<nil>';
	const add = (failure: FieldError): void => {
		if (ratcheted()) run.warn?.(`${failure.field}: ${failure.message}`);
		else run.errors.push(failure);
	};
	const said = compiled.message === undefined ? undefined : messageOf(run, compiled.message, rule.messageExpression ?? '', evaluation);
	if (said !== undefined && 'fatal' in said) {
		run.budget = -1;
		return add(invalidValue(at, type, said.fatal));
	}
	const value = type === 'object' || type === 'array' ? undefined : { json: given };
	add(failed(rule.reason, at, said?.text ?? ruleMessage(compiled), value));
}

function ruleMessage({ rule }: CompiledRule): string {
	const message = (rule.message ?? '').trim();
	return message === '' ? `failed rule: ${rule.rule.trim()}` : message;
}

/** Undefined: the expression says nothing usable, and the plain message stands. */
function messageOf(
	run: Run,
	program: Program,
	source: string,
	{ ofMessage }: Evaluation,
): { readonly text: string } | { readonly fatal: string } | undefined {
	const outcome = evaluated(program, ofMessage, PER_CALL_LIMIT);
	if (outcome.cost > run.budget)
		return { fatal: 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run' };
	run.budget -= outcome.cost;
	if ('error' in outcome) {
		if (!(outcome.error instanceof CostExceeded)) return undefined;
		return { fatal: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${goQuote(source)}` };
	}
	if (typeof outcome.value !== 'string') return undefined;
	const text = outcome.value.trim();
	return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? undefined : { text };
}

/** @param value shown where it is neither object nor list */
function failed(reason: string | undefined, path: string, detail: string, value: { readonly json: unknown } | undefined): FieldError {
	switch (reason ?? '') {
		case 'FieldValueForbidden':
			return fieldForbidden(path, detail);
		case 'FieldValueRequired':
			return required(path, detail);
		case 'FieldValueDuplicate':
			return value === undefined ? { reason: 'FieldValueDuplicate', field: path, message: 'Duplicate value' } : duplicate(path, value.json);
	}
	if (value !== undefined) return invalidValue(path, value.json, detail);
	return { reason: 'FieldValueInvalid', field: path, message: `Invalid value: ${detail}` };
}
