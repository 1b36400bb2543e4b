/** Macros: has, all, exists, exists_one, map, filter, their two-variable forms, transformList/Map/MapEntry, optMap, optFlatMap, sortBy and cel.bind as folds. */
import { OP, type Expr } from './ast.ts';
import type { Issue } from './issues.ts';
import type { Value } from './values.ts';

export interface MacroCall {
	readonly id: number;
	readonly at: number;
	readonly fn: string;
	readonly target: Expr | undefined;
	readonly args: readonly Expr[];
	readonly nextId: () => number;
	/** Whether `cel.bind` is one. */
	readonly binds: boolean;
}

const RESULT = '@result';
const SORTED = '@__sortBy_input__';

/** Undefined: no macro. An Issue: a macro with wrong arguments. */
export function expandMacro(call: MacroCall): Expr | Issue | undefined {
	const { fn, target, args } = call;
	if (target === undefined) return fn === 'has' && args.length === 1 ? presence(call) : undefined;
	if (call.binds && fn === 'bind' && args.length === 3 && target.type === 'ident' && target.name === 'cel') return binding(call);
	const macro = MACROS[`${fn}/${args.length}`];
	return macro?.(call, new Maker(call), target);
}

function presence({ id, at, args }: MacroCall): Expr | Issue {
	const [arg] = args;
	if (arg?.type === 'select') return { ...arg, id, at, testOnly: true };
	return { at: arg?.at ?? 0, text: 'invalid argument to has() macro' };
}

/** Makes nodes at the macro's place. */
class Maker {
	readonly #call: MacroCall;

	constructor(call: MacroCall) {
		this.#call = call;
	}

	get node(): { readonly id: number; readonly at: number } {
		return { id: this.#call.nextId(), at: this.#call.at };
	}

	constant(value: Value): Expr {
		return { ...this.node, type: 'const', value };
	}

	ident(name: string): Expr {
		return { ...this.node, type: 'ident', name };
	}

	call(fn: string, ...args: readonly Expr[]): Expr {
		return { ...this.node, type: 'call', fn, target: undefined, args };
	}

	method(fn: string, target: Expr, ...args: readonly Expr[]): Expr {
		return { ...this.node, type: 'call', fn, target, args };
	}

	list(...items: readonly Expr[]): Expr {
		return { ...this.node, type: 'list', items, optional: new Set() };
	}

	fold(range: Expr, [variable, variable2 = '']: readonly string[], init: Expr, condition: Expr, step: Expr, result?: Expr): Expr {
		return {
			id: this.#call.id,
			at: this.#call.at,
			type: 'comprehension',
			range,
			variable: variable as string,
			variable2,
			accumulator: RESULT,
			init,
			condition,
			step,
			result: result ?? this.ident(RESULT),
		};
	}

	/** The value under a name: a fold over nothing. */
	bind(name: string, value: Expr, result: Expr): Expr {
		return {
			...this.node,
			type: 'comprehension',
			range: this.list(),
			variable: '#unused',
			variable2: '',
			accumulator: name,
			init: value,
			condition: this.constant(false),
			step: this.ident(name),
			result,
		};
	}
}

type Macro = (call: MacroCall, make: Maker, target: Expr) => Expr | Issue;

const isIssue = (names: readonly string[] | Issue): names is Issue => 'text' in names;

/** The first `count` arguments, which must be plain names. */
/** What is said of a variable that is no name; of others: that it must be a simple one. */
const NO_NAME: Readonly<Record<string, string>> = {
	map: 'argument is not an identifier',
	filter: 'argument is not an identifier',
	sortBy: 'argument is not an identifier',
	optMap: 'optMap() variable name must be a simple identifier',
	optFlatMap: 'optFlatMap() variable name must be a simple identifier',
};

function namesOf({ fn, args }: MacroCall, count: number): readonly string[] | Issue {
	const names: string[] = [];
	for (const arg of args.slice(0, count)) {
		if (arg.type !== 'ident') return { at: arg.at, text: NO_NAME[fn] ?? 'argument must be a simple name' };
		if (arg.name === RESULT || arg.name === '__result__') return { at: arg.at, text: 'iteration variable overwrites accumulator variable' };
		if (names.includes(arg.name)) return { at: arg.at, text: `duplicate variable name: ${arg.name}` };
		names.push(arg.name);
	}
	return names;
}

const quantified =
	(count: number, build: (make: Maker, range: Expr, names: readonly string[], predicate: Expr) => Expr): Macro =>
	(call, make, target) => {
		const names = namesOf(call, count);
		return isIssue(names) ? names : build(make, target, names, call.args[count] as Expr);
	};

const all = (make: Maker, range: Expr, names: readonly string[], predicate: Expr): Expr =>
	make.fold(
		range,
		names,
		make.constant(true),
		make.call(OP.notStrictlyFalse, make.ident(RESULT)),
		make.call(OP.and, make.ident(RESULT), predicate),
	);

const exists = (make: Maker, range: Expr, names: readonly string[], predicate: Expr): Expr =>
	make.fold(
		range,
		names,
		make.constant(false),
		make.call(OP.notStrictlyFalse, make.call(OP.not, make.ident(RESULT))),
		make.call(OP.or, make.ident(RESULT), predicate),
	);

const existsOne = (make: Maker, range: Expr, names: readonly string[], predicate: Expr): Expr =>
	make.fold(
		range,
		names,
		make.constant(0n),
		make.constant(true),
		make.call(OP.conditional, predicate, make.call(OP.add, make.ident(RESULT), make.constant(1n)), make.ident(RESULT)),
		make.call(OP.equals, make.ident(RESULT), make.constant(1n)),
	);

/** A list or map that grows; `grow` makes the next accumulator, kept as it is where `filter` is false. */
function gathered(make: Maker, range: Expr, names: readonly string[], init: Expr, filter: Expr | undefined, grown: Expr): Expr {
	const step = filter === undefined ? grown : make.call(OP.conditional, filter, grown, make.ident(RESULT));
	return make.fold(range, names, init, make.constant(true), step);
}

const gathering =
	(count: number, kind: 'list' | 'map' | 'mapEntry', filtered: boolean): Macro =>
	(call, make, target) => {
		const names = namesOf(call, count);
		if (isIssue(names)) return names;
		const filter = filtered ? call.args[count] : undefined;
		const value = call.args[filtered ? count + 1 : count] as Expr;
		const grown =
			kind === 'list'
				? make.call(OP.add, make.ident(RESULT), make.list(value))
				: make.call('cel.@mapInsert', make.ident(RESULT), ...(kind === 'map' ? [make.ident(names[0] as string), value] : [value]));
		const init: Expr = kind === 'list' ? make.list() : { ...make.node, type: 'map', entries: [] };
		return gathered(make, target, names, init, filter, grown);
	};

const filtering: Macro = (call, make, target) => {
	const names = namesOf(call, 1);
	if (isIssue(names)) return names;
	const grown = make.call(OP.add, make.ident(RESULT), make.list(make.ident(names[0] as string)));
	return gathered(make, target, names, make.list(), call.args[1], grown);
};

const optional =
	(flat: boolean): Macro =>
	(call, make, target) => {
		const names = namesOf(call, 1);
		if (isIssue(names)) return names;
		const bound = make.bind(names[0] as string, make.method('value', target), call.args[1] as Expr);
		const some = flat ? bound : make.call('optional.of', bound);
		return make.call(OP.conditional, make.method('hasValue', target), some, make.call('optional.none'));
	};

const sortBy: Macro = (call, make, target) => {
	const names = namesOf(call, 1);
	if (isIssue(names)) return names;
	const keys = make.call(OP.add, make.ident(RESULT), make.list(call.args[1] as Expr));
	const mapped = gathered(make, make.ident(SORTED), names, make.list(), undefined, keys);
	return make.bind(SORTED, target, make.method('@sortByAssociatedKeys', make.ident(SORTED), mapped));
};

/** Unlike other macros this one takes every name, the accumulator's too. */
function binding(call: MacroCall): Expr | Issue {
	const [name, value, result] = call.args as readonly [Expr, Expr, Expr];
	if (name.type !== 'ident') return { at: name.at, text: 'cel.bind() variable names must be simple identifiers' };
	return new Maker(call).bind(name.name, value, result);
}

const MACROS: Readonly<Record<string, Macro>> = {
	'all/2': quantified(1, all),
	'all/3': quantified(2, all),
	'exists/2': quantified(1, exists),
	'exists/3': quantified(2, exists),
	'exists_one/2': quantified(1, existsOne),
	'exists_one/3': quantified(2, existsOne),
	'existsOne/3': quantified(2, existsOne),
	'map/2': gathering(1, 'list', false),
	'map/3': gathering(1, 'list', true),
	'filter/2': filtering,
	'transformList/3': gathering(2, 'list', false),
	'transformList/4': gathering(2, 'list', true),
	'transformMap/3': gathering(2, 'map', false),
	'transformMap/4': gathering(2, 'map', true),
	'transformMapEntry/3': gathering(2, 'mapEntry', false),
	'transformMapEntry/4': gathering(2, 'mapEntry', true),
	'optMap/2': optional(false),
	'optFlatMap/2': optional(true),
	'sortBy/2': sortBy,
};
