/**
 * Functions as tables: each overload with its signature as text ("string::startsWith(string): bool", the receiver before "::"), what it does,
 * and what it costs. Capital letters are type parameters; "optional(T)" is optional_type.
 */
import type { Estimator } from './ranges.ts';
import { DYN, listOf, mapOf, opaque, optionalOf, param, TYPE, type SimpleKind, type Type } from './types.ts';
import type { Value } from './values.ts';

/** The receiver, where there is one, is the first argument. EvalError says what is wrong. */
export type Implementation = (...args: Value[]) => Value;

export interface Overload {
	readonly id: string;
	readonly fn: string;
	readonly member: boolean;
	readonly params: readonly Type[];
	readonly result: Type;
	readonly call: Implementation;
	/** What a call really costs; 1 unless told. */
	readonly cost: Cost | undefined;
	/** Whether cel-go knows the cost by the overload, and not by the function's name. */
	readonly byOverload: boolean;
	/** What a call may cost, before values are known. */
	readonly estimate: Estimator | undefined;
}

/** The result is undefined where the call fails, an argument where that is why. */
export type Cost = (args: readonly (Value | undefined)[], result: Value | undefined) => number;

export interface Costs {
	readonly cost?: Cost;
	readonly byOverload?: boolean;
	readonly estimate?: Estimator;
}

/** @param signature "[receiver::]name(type, …): type" */
export function overload(id: string, signature: string, call: Implementation, costs: Costs = {}): Overload {
	const open = signature.indexOf('(', signature.includes('::') ? signature.indexOf('::') : 0);
	const close = signature.lastIndexOf('):');
	const head = signature.slice(0, open);
	const split = head.indexOf('::');
	const receiver = split < 0 ? [] : [parseType(head.slice(0, split))];
	return {
		id,
		fn: split < 0 ? head : head.slice(split + 2),
		member: split >= 0,
		params: [...receiver, ...parseTypes(signature.slice(open + 1, close))],
		result: parseType(signature.slice(close + 2)),
		call,
		cost: costs.cost,
		byOverload: costs.byOverload ?? false,
		estimate: costs.estimate,
	};
}

const SIMPLE = new Set<string>(['dyn', 'null', 'bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration']);

function parseType(text: string): Type {
	const name = text.trim();
	const open = name.indexOf('(');
	if (open < 0) {
		if (SIMPLE.has(name)) return { kind: name as SimpleKind };
		if (name === 'type') return TYPE;
		return /^[A-Z]$/.test(name) ? param(name) : opaque(name);
	}
	const params = parseTypes(name.slice(open + 1, -1));
	const [first = DYN, second = DYN] = params;
	switch (name.slice(0, open)) {
		case 'list':
			return listOf(first);
		case 'map':
			return mapOf(first, second);
		case 'optional':
			return optionalOf(first);
		case 'type':
			return { kind: 'type', of: first };
	}
	return opaque(name.slice(0, open), ...params);
}

function parseTypes(text: string): Type[] {
	const out: Type[] = [];
	let depth = 0;
	let from = 0;
	for (let i = 0; i <= text.length; i++) {
		const char = text[i];
		if (char === '(') depth++;
		else if (char === ')') depth--;
		else if ((char === ',' || char === undefined) && depth === 0) {
			if (text.slice(from, i).trim() !== '') out.push(parseType(text.slice(from, i)));
			from = i + 1;
		}
	}
	return out;
}

/** Overloads by function name. */
export class Functions {
	readonly #byName = new Map<string, Overload[]>();

	constructor(libraries: readonly (readonly Overload[])[]) {
		for (const one of libraries.flat()) {
			const list = this.#byName.get(one.fn);
			if (list === undefined) this.#byName.set(one.fn, [one]);
			else if (!list.some((o) => o.id === one.id)) list.push(one);
		}
	}

	named(fn: string): readonly Overload[] | undefined {
		return this.#byName.get(fn);
	}
}
