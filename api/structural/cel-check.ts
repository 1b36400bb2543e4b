/** x-kubernetes-validations run on a value, and on the value before where a rule compares with it; unchanged parts are let be. */
import { RUNTIME_BUDGET, PER_CALL_LIMIT, evaluated, type Program } from '../cel/environment.ts';
import { CostExceeded } from '../cel/errors.ts';
import { fromJson } from '../cel/json.ts';
import { Optional, type Value } from '../cel/values.ts';
import { fieldForbidden, invalidValue, required, type FieldError } from '../field-error.ts';
import { declaredOf } from './cel-types.ts';
import { rulesOf, type CompiledRule, type RuleObserver } from './cel-rules.ts';
import { isUnchanged, oldField, oldItem, type Old } from './correlate.ts';
import { additionalOf, isObject, propertyOf, type Schema } from './schema.ts';

/** Upstream's longest message of an expression. */
const MAX_MESSAGE_BYTES = 5 * 1024;

interface Run {
	readonly errors: FieldError[];
	/** Negative: used up. */
	budget: number;
	readonly observer: RuleObserver | undefined;
}

/** @param old the whole value before an update */
export function checkRules(
	value: unknown,
	schema: Schema,
	old?: Old,
	{ isResource = true, observer }: { readonly isResource?: boolean; readonly observer?: RuleObserver | undefined } = {},
): FieldError[] {
	if (!hasRules(schema)) return [];
	const run: Run = { errors: [], budget: RUNTIME_BUDGET, observer };
	const began = observer?.now() ?? 0;
	walk(run, value, schema, '', old, isResource);
	observer?.evaluated(observer.now() - began);
	return run.errors;
}

const withRules = new WeakMap<Schema, boolean>();

/** Whether there is any rule here or below. */
export function hasRules(schema: Schema | undefined): boolean {
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

function walk(run: Run, value: unknown, schema: Schema | undefined, path: string, old: Old, isResource: boolean): void {
	if (schema === undefined || value === null || value === undefined || !hasRules(schema) || run.budget < 0) return;
	rules(run, value, schema, path, old, isResource);
	if (Array.isArray(value)) {
		for (const [i, item] of (value as unknown[]).entries())
			if (run.budget >= 0) walk(run, item, schema.items, `${path}[${i}]`, oldItem(old, schema, item), false);
	} else if (isObject(value)) {
		const oldHere = schema['x-kubernetes-map-type'] === 'atomic' ? undefined : old;
		for (const key of Object.keys(value).sort())
			if (run.budget >= 0)
				walk(
					run,
					value[key],
					propertyOf(schema, key) ?? additionalOf(schema),
					path === '' ? key : `${path}.${key}`,
					oldField(oldHere, key),
					false,
				);
	}
}

function rules(run: Run, value: unknown, schema: Schema, path: string, old: Old, isResource: boolean): void {
	const resource = isResource || schema['x-kubernetes-embedded-resource'] === true;
	const compiled = rulesOf(schema, isResource, run.observer);
	if (compiled.length === 0) return;
	const type = declaredOf(schema, resource)?.type;
	// Made where a rule uses it: what is invalid and unchanged is let be, and fails only there.
	const self = lazily(() => fromJson(value, type));
	const before = old === undefined || old.value === null ? undefined : lazily(() => fromJson(old.value, type));
	const unchanged = isUnchanged(old, value);
	for (const rule of compiled) {
		const optional = rule.rule.optionalOldSelf === true;
		if (rule.usesOldSelf && !optional && before === undefined) continue;
		const oldSelf = (): Value | undefined => (optional ? (before === undefined ? Optional.none : Optional.of(before())) : before?.());
		const variables = (name: string): Value | undefined => (name === 'self' ? self() : name === 'oldSelf' ? oldSelf() : undefined);
		one(run, rule, variables, path, schema.type ?? '', value, unchanged && !rule.usesOldSelf);
		if (run.budget < 0) return;
	}
}

function lazily(make: () => Value): () => Value {
	let made: { readonly value: Value } | undefined;
	return () => (made ??= { value: make() }).value;
}

function one(
	run: Run,
	compiled: CompiledRule,
	variables: (name: string) => Value | undefined,
	path: string,
	type: string,
	given: unknown,
	ratcheted: boolean,
): void {
	const { program, error, rule } = compiled;
	const shown = path === '' ? '<nil>' : path;
	if (program === undefined) {
		if (error !== undefined) run.errors.push(invalidValue(shown, type, `rule compile error: ${error}`));
		return;
	}
	const outcome = evaluated(program, variables, PER_CALL_LIMIT);
	const name = (rule.message ?? '').trim() === '' ? rule.rule.trim() : (rule.message ?? '').trim();
	if (outcome.cost > run.budget) {
		run.errors.push(
			invalidValue(shown, type, 'validation failed due to running out of cost budget, no further validation rules will be run'),
		);
		run.budget = -1;
		return;
	}
	run.budget -= outcome.cost;
	if ('error' in outcome) {
		const { error: why } = outcome;
		if (why instanceof CostExceeded) {
			run.errors.push(
				invalidValue(
					shown,
					type,
					`'${why.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${name}`,
				),
			);
			run.budget = -1;
		} else if (why.message.startsWith('no such overload'))
			run.errors.push(
				invalidValue(
					shown,
					type,
					`'${why.message}': call arguments did not match a supported operator, function or macro signature for rule: ${name}`,
				),
			);
		else run.errors.push(invalidValue(shown, type, `${why.message} evaluating rule: ${name}`));
		return;
	}
	if (outcome.value === true || ratcheted) return;
	const text = compiled.message === undefined ? undefined : messageOf(run, compiled.message, variables);
	const at = `${path}${rule.fieldPath ?? ''}`.replace(/^\./, '');
	const value = type === 'object' || type === 'array' ? undefined : { json: given };
	run.errors.push(failed(rule.reason, at === '' ? '<nil>' : at, text ?? ruleMessage(compiled), value));
}

function ruleMessage({ rule }: CompiledRule): string {
	const message = (rule.message ?? '').trim();
	return message === '' ? `failed rule: ${rule.rule.trim()}` : message;
}

/** Undefined: the expression says nothing usable, and the plain message stands. */
function messageOf(run: Run, program: Program, variables: (name: string) => Value | undefined): string | undefined {
	const outcome = evaluated(program, variables, Math.min(PER_CALL_LIMIT, run.budget));
	run.budget -= outcome.cost;
	if ('error' in outcome || typeof outcome.value !== 'string') return undefined;
	const text = outcome.value.trim();
	return text === '' || text.includes('\n') || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? undefined : text;
}

/** @param value shown where it is neither object nor list */
function failed(reason: string | undefined, path: string, detail: string, value: { readonly json: unknown } | undefined): FieldError {
	switch (reason ?? '') {
		case 'FieldValueForbidden':
			return fieldForbidden(path, detail);
		case 'FieldValueRequired':
			return required(path, detail);
		case 'FieldValueDuplicate':
			return { reason: 'FieldValueDuplicate', field: path, message: 'Duplicate value' };
	}
	if (value !== undefined) return invalidValue(path, value.json, detail);
	return { reason: 'FieldValueInvalid', field: path, message: `Invalid value: ${detail}` };
}
