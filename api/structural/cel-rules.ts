/** x-kubernetes-validations compiled: each rule with the type of the value it stands on. */
import { compile, environment, type Program } from '../cel/environment.ts';
import { EvalError } from '../cel/errors.ts';
import { CompileError } from '../cel/issues.ts';
import { namedType } from '../cel/named-types.ts';
import { optionalOf, type Type } from '../cel/types.ts';
import { declaredOf, mostOften, sizesIn, type Declared } from './cel-types.ts';
import { fieldAt } from './field-path.ts';
import type { Rule, Schema } from './schema.ts';

export interface CompiledRule {
	readonly rule: Rule;
	readonly program: Program | undefined;
	readonly error: string | undefined;
	readonly usesOldSelf: boolean;
	readonly message: Program | undefined;
	readonly messageError: string | undefined;
	/** What a failure is told of, from the value on; empty for the value itself. */
	readonly fieldPath: string;
	/** Most it costs once, and how often it may run where the schema sets no limit. */
	readonly maxCost: number;
	readonly maxMessageCost: number;
	readonly maxTimes: number;
}

/** Hears how many milliseconds rules take, by its own watch. */
export interface RuleObserver {
	now(): number;
	/** The rules of one place of a schema. */
	compiled(ms: number): void;
	/** The rules of a whole object. */
	evaluated(ms: number): void;
}

const compiled = new WeakMap<Schema, readonly CompiledRule[]>();

/** The schema's rules; none where expressions cannot reach. */
export function rulesOf(schema: Schema, isResource: boolean, observer?: RuleObserver): readonly CompiledRule[] {
	let rules = compiled.get(schema);
	if (rules === undefined) {
		const began = observer?.now() ?? 0;
		const declared = declaredOf(schema, isResource || schema['x-kubernetes-embedded-resource'] === true);
		rules = declared === undefined ? [] : (schema['x-kubernetes-validations'] ?? []).map((rule) => compileRule(rule, schema, declared));
		compiled.set(schema, rules);
		if (rules.length > 0) observer?.compiled(observer.now() - began);
	}
	return rules;
}

/** Upstream names the types of rules by the time, so that nobody relies on a name. */
let types = 0;

function compileRule(rule: Rule, schema: Schema, declared: Declared): CompiledRule {
	const self = namedType(declared.type, `selfType${++types}`);
	const oldSelf: Type = rule.optionalOldSelf === true ? optionalOf(self) : self;
	const env = environment({ variables: { self, oldSelf } });
	const sizes = sizesIn(declared);
	const tried = attempt(rule.rule, (source) => compile(env, source));
	const { program } = tried;
	let { error } = tried;
	if (program === undefined) error = error === undefined ? undefined : `compilation failed: ${error}`;
	else if (program.type.kind !== 'bool') error = 'cel expression must evaluate to a bool';
	else error = unprepared(program, 'program');
	const text = rule.messageExpression ?? '';
	const said = text.trim() === '' || program === undefined || error !== undefined ? {} : attempt(text, (source) => compile(env, source));
	const messageError =
		said.program === undefined
			? said.error === undefined
				? undefined
				: `messageExpression compilation failed: ${said.error}`
			: said.program.type.kind === 'string'
				? unprepared(said.program, 'messageExpression')
				: 'messageExpression must evaluate to a string';
	return {
		rule,
		program: error === undefined ? program : undefined,
		error,
		usesOldSelf: program?.uses('oldSelf') === true,
		message: messageError === undefined ? said.program : undefined,
		messageError,
		fieldPath: placeOf(rule.fieldPath ?? '', schema),
		maxCost: error === undefined ? (program?.estimate(sizes).max ?? 0) : 0,
		maxMessageCost: messageError === undefined ? (said.program?.estimate(sizes).max ?? 0) : 0,
		maxTimes: mostOften(declared),
	};
}

function unprepared(program: Program, what: string): string | undefined {
	try {
		program.prepare();
		return undefined;
	} catch (error) {
		if (error instanceof EvalError) return `${what} instantiation failed: ${error.message}`;
		throw error;
	}
}

function placeOf(fieldPath: string, schema: Schema): string {
	const found = fieldAt(fieldPath, schema, true);
	return 'error' in found ? '' : found.path;
}

function attempt(source: string, make: (source: string) => Program): { readonly program?: Program; readonly error?: string } {
	if (source.trim() === '') return {};
	try {
		return { program: make(source) };
	} catch (error) {
		if (error instanceof CompileError) return { error: error.message };
		throw error;
	}
}
