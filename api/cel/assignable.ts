/** Which type fits where: cel-go's rules with type variables, whose bindings grow as a whole argument list fits or not at all. */
import { isDyn, type Type } from './types.ts';

type Bindings = Map<string, Type>;

export class TypeBindings {
	#bound: Bindings = new Map();
	#fresh = 0;

	/** A new variable for each parameter of the types. */
	instantiate(types: readonly Type[]): readonly Type[] {
		const names = new Map<string, Type>();
		return types.map((type) => renamed(type, names, () => ({ kind: 'param', name: `_var${this.#fresh++}` })));
	}

	freshVariable(): Type {
		return { kind: 'param', name: `_var${this.#fresh++}` };
	}

	/** Binds variables on success only. */
	fits(given: readonly Type[], wanted: readonly Type[]): boolean {
		if (given.length !== wanted.length) return false;
		const trial = new Map(this.#bound);
		if (!given.every((type, i) => assignable(trial, type, wanted[i] as Type))) return false;
		this.#bound = trial;
		return true;
	}

	/** The type with its variables replaced; free ones become dyn where told. */
	substituted(type: Type, freeToDyn: boolean): Type {
		if (type.kind === 'param') {
			const bound = this.#bound.get(type.name);
			if (bound !== undefined) return this.substituted(bound, freeToDyn);
			return freeToDyn ? { kind: 'dyn' } : type;
		}
		return mapped(type, (inner) => this.substituted(inner, freeToDyn));
	}
}

function renamed(type: Type, names: Map<string, Type>, make: () => Type): Type {
	if (type.kind === 'param') {
		let name = names.get(type.name);
		if (name === undefined) {
			name = make();
			names.set(type.name, name);
		}
		return name;
	}
	return mapped(type, (inner) => renamed(inner, names, make));
}

function mapped(type: Type, fn: (inner: Type) => Type): Type {
	switch (type.kind) {
		case 'list':
			return { kind: 'list', items: fn(type.items) };
		case 'map':
			return { kind: 'map', key: fn(type.key), value: fn(type.value) };
		case 'opaque':
			return type.params.length === 0 ? type : { ...type, params: type.params.map(fn) };
		case 'type':
			return type.of === undefined ? type : { kind: 'type', of: fn(type.of) };
		default:
			return type;
	}
}

function paramsOf(type: Type): readonly Type[] {
	switch (type.kind) {
		case 'list':
			return [type.items];
		case 'map':
			return [type.key, type.value];
		case 'opaque':
			return type.params;
		case 'type':
			return type.of === undefined ? [] : [type.of];
		default:
			return [];
	}
}

const isDynOrError = (type: Type): boolean => isDyn(type) || type.kind === 'error';

function assignable(bound: Bindings, given: Type, wanted: Type): boolean {
	if (wanted.kind === 'param') {
		const { valid, known } = substitution(bound, given, wanted);
		if (valid) return true;
		if (known) return false;
	}
	if (given.kind === 'param') return substitution(bound, wanted, given).valid;
	if (isDynOrError(given) || isDynOrError(wanted)) return true;
	if (given.kind === 'null') return takesNull(wanted);
	if (wanted.kind === 'null') return takesNull(given);
	switch (given.kind) {
		case 'type':
			return wanted.kind === 'type';
		case 'list':
		case 'map':
		case 'opaque': {
			if (wanted.kind !== given.kind || (given.kind === 'opaque' && given.name !== (wanted as typeof given).name)) return false;
			const [a, b] = [paramsOf(given), paramsOf(wanted)];
			return a.length === b.length && a.every((type, i) => assignable(bound, type, b[i] as Type));
		}
		case 'object':
			return wanted.kind === 'object' && wanted.name === given.name;
		default:
			return wanted.kind === given.kind;
	}
}

function takesNull(type: Type): boolean {
	return ['opaque', 'object', 'null', 'timestamp', 'duration'].includes(type.kind);
}

/** Whether the type may stand for the variable; `known`: the variable was bound before. */
function substitution(
	bound: Bindings,
	type: Type,
	variable: Type & { kind: 'param' },
): { readonly valid: boolean; readonly known: boolean } {
	if (type.kind === 'param' && type.name === variable.name) return { valid: true, known: true };
	const current = bound.get(variable.name);
	if (current !== undefined) {
		if (sameType(type, current)) return { valid: true, known: true };
		if (!assignable(bound, type, current)) return { valid: false, known: true };
		const general = mostGeneral(type, current);
		if (!refersTo(bound, general, variable.name)) bound.set(variable.name, general);
		return { valid: true, known: true };
	}
	if (refersTo(bound, type, variable.name)) return { valid: false, known: false };
	bound.set(variable.name, type);
	return { valid: true, known: false };
}

function refersTo(bound: Bindings, type: Type, name: string): boolean {
	if (type.kind === 'param') {
		if (type.name === name) return true;
		const next = bound.get(type.name);
		return next !== undefined && refersTo(bound, next, name);
	}
	return paramsOf(type).some((inner) => refersTo(bound, inner, name));
}

export function sameType(a: Type, b: Type): boolean {
	if (a === b) return true;
	if (a.kind !== b.kind) return false;
	if ((a.kind === 'object' || a.kind === 'opaque' || a.kind === 'param') && a.name !== (b as typeof a).name) return false;
	const [x, y] = [paramsOf(a), paramsOf(b)];
	return x.length === y.length && x.every((type, i) => sameType(type, y[i] as Type));
}

/** The one that takes more. */
export function mostGeneral(a: Type, b: Type): Type {
	return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: Type, b: Type): boolean {
	if (isDyn(a) || a.kind === 'param') return true;
	if (isDyn(b) || b.kind === 'param') return false;
	if (a.kind !== b.kind) return false;
	const [x, y] = [paramsOf(a), paramsOf(b)];
	return x.length === y.length && x.every((type, i) => isLessSpecific(type, y[i] as Type));
}
