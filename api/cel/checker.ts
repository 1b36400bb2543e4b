/** Type checking: every node gets a type, every name and call what it refers to; errors in upstream's words. */
import { OP, type CallExpr, type ComprehensionExpr, type Expr, type SelectExpr, type StructExpr } from './ast.ts';
import { mostGeneral, sameType, TypeBindings } from './assignable.ts';
import type { Functions, Overload } from './functions.ts';
import type { Issue } from './issues.ts';
import { qualifiedName, TYPE_NAMES, typeOfConstant } from './names.ts';
import { BOOL, DYN, ERROR, INT, listOf, mapOf, optionalOf, typeName, type Type } from './types.ts';
import { TypeValue } from './values.ts';

export interface Scope {
	/** The type of a variable; undefined: not declared. */
	readonly variable: (name: string) => Type | undefined;
	/** A message type that expressions may construct; undefined: not declared. */
	readonly struct: (name: string) => Type | undefined;
	readonly functions: Functions;
}

export interface Checked {
	readonly type: Type;
	readonly types: ReadonlyMap<number, Type>;
	/** Calls by node. */
	readonly overloads: ReadonlyMap<number, readonly Overload[]>;
	/** Nodes that are a qualified name as a whole: "a.b" of a variable, or a type. */
	readonly names: ReadonlyMap<number, string | TypeValue>;
}

/** The issues are empty when it checks. */
export function check(expr: Expr, scope: Scope): { readonly checked: Checked; readonly issues: readonly Issue[] } {
	const checker = new Checker(scope);
	const type = checker.check(expr);
	return { checked: checker.result(type), issues: checker.issues };
}

class Checker {
	readonly issues: Issue[] = [];
	readonly #scope: Scope;
	readonly #bindings = new TypeBindings();
	/** Calls of format() around: the literals inside may mix types. */
	#formats = 0;
	readonly #types = new Map<number, Type>();
	readonly #overloads = new Map<number, readonly Overload[]>();
	readonly #names = new Map<number, string | TypeValue>();
	readonly #locals: { readonly name: string; readonly type: Type }[] = [];

	constructor(scope: Scope) {
		this.#scope = scope;
	}

	result(type: Type): Checked {
		const types = new Map([...this.#types].map(([id, t]) => [id, this.#bindings.substituted(t, true)]));
		return { type: this.#bindings.substituted(type, true), types, overloads: this.#overloads, names: this.#names };
	}

	check(expr: Expr): Type {
		const type = this.#typeOf(expr);
		this.#types.set(expr.id, type);
		return type;
	}

	#typeOf(expr: Expr): Type {
		switch (expr.type) {
			case 'const':
				return typeOfConstant(expr.value);
			case 'ident':
				return this.#named(expr.id, expr.name) ?? this.#undeclared(expr.at, expr.name);
			case 'select':
				return this.#select(expr);
			case 'call':
				return this.#call(expr);
			case 'list':
				return listOf(this.#joined(expr.items.map((item, i) => this.#entry(item, expr.optional.has(i)))));
			case 'map': {
				const key = this.#joined(expr.entries.map(({ key }) => ({ at: key.at, type: this.check(key) })));
				return mapOf(key, this.#joined(expr.entries.map(({ value, optional }) => this.#entry(value, optional))));
			}
			case 'struct':
				return this.#struct(expr);
			case 'comprehension':
				return this.#comprehension(expr);
		}
	}

	#error(at: number, text: string): Type {
		this.issues.push({ at, text });
		return ERROR;
	}

	#undeclared(at: number, name: string): Type {
		return this.#error(at, `undeclared reference to '${name.replace(/^\./, '')}' (in container '')`);
	}

	#shown(type: Type): string {
		return typeName(this.#bindings.substituted(type, true));
	}

	/** A local, a variable or a type of that name. */
	#named(id: number, given: string): Type | undefined {
		const name = given.replace(/^\./, '');
		const local = given === name ? this.#locals.findLast((l) => l.name === name) : undefined;
		const found = local?.type ?? this.#scope.variable(name);
		if (found !== undefined) {
			this.#names.set(id, name);
			return found;
		}
		const type = Object.hasOwn(TYPE_NAMES, name) ? TYPE_NAMES[name] : this.#scope.struct(name);
		if (type === undefined) return undefined;
		this.#names.set(id, new TypeValue(name));
		return { kind: 'type', of: type };
	}

	#select(expr: SelectExpr): Type {
		const qualified = qualifiedName(expr);
		if (qualified !== undefined && !expr.testOnly) {
			const first = qualified.split('.', 1)[0] as string;
			const shadowed = this.#locals.some((l) => l.name === first);
			const found = shadowed ? undefined : this.#named(expr.id, qualified);
			if (found !== undefined) return found;
		}
		const type = this.#field(expr.at, this.check(expr.operand), expr.field, false);
		return expr.testOnly ? BOOL : type;
	}

	#field(at: number, given: Type, field: string, optional: boolean): Type {
		let operand = this.#bindings.substituted(given, false);
		let wrap = optional;
		if (operand.kind === 'opaque' && operand.name === 'optional_type') {
			operand = operand.params[0] as Type;
			wrap = true;
		}
		const type = this.#plainField(at, operand, field);
		return wrap ? optionalOf(type) : type;
	}

	#plainField(at: number, operand: Type, field: string): Type {
		switch (operand.kind) {
			case 'map':
				return operand.value;
			case 'object':
				return operand.field(field) ?? this.#error(at, `undefined field '${field}'`);
			case 'param':
				this.#bindings.fits([DYN], [operand]);
				return DYN;
			case 'dyn':
			case 'error':
				return DYN;
			case 'opaque':
				// Upstream declares all but these two as message types, of which it then finds no description.
				if (!operand.name.startsWith('net.')) return this.#error(at, `unexpected failed resolution of '${operand.name}'`);
				return this.#error(at, `type '${operand.name}' does not support field selection`);
			default:
				return this.#error(at, `type '${this.#shown(operand)}' does not support field selection`);
		}
	}

	#call(expr: CallExpr): Type {
		const { fn, target, args } = expr;
		if (fn === OP.optionalSelect) {
			const [operand, key] = args as [Expr, Expr];
			const type = this.check(operand);
			this.check(key);
			return this.#field(expr.at, type, key.type === 'const' ? (key.value as string) : '', true);
		}
		if (fn === OP.and || fn === OP.or) {
			for (const arg of args) this.#expect(arg, BOOL);
			return BOOL;
		}
		const qualified = target === undefined ? fn : qualifiedName(target);
		if (target !== undefined && qualified !== undefined && !this.#locals.some((l) => l.name === qualified.split('.', 1)[0])) {
			const name = `${qualified}.${fn}`;
			if (this.#scope.functions.named(name) !== undefined) {
				this.#names.set(expr.id, name);
				return this.#resolve(
					expr,
					name,
					args.map((arg) => this.check(arg)),
					false,
				);
			}
		}
		const name = fn.replace(/^\./, '');
		const isFormat = name === 'format' && target !== undefined;
		if (isFormat) this.#formats++;
		const types = (target === undefined ? args : [target, ...args]).map((arg) => this.check(arg));
		if (isFormat) this.#formats--;
		if (this.#scope.functions.named(name) === undefined) return this.#undeclared(expr.at, name);
		return this.#resolve(expr, name, types, target !== undefined);
	}

	#resolve(expr: CallExpr, fn: string, args: readonly Type[], member: boolean): Type {
		const matching: Overload[] = [];
		let result: Type | undefined;
		for (const overload of this.#scope.functions.named(fn) ?? []) {
			if (overload.member !== member || overload.params.length !== args.length) continue;
			const [type, ...params] = this.#bindings.instantiate([overload.result, ...overload.params]) as [Type, ...Type[]];
			if (!this.#bindings.fits(args, params)) continue;
			matching.push(overload);
			const actual = this.#bindings.substituted(type, false);
			if (result === undefined) result = actual;
			else if (result.kind !== 'dyn' && !sameType(result, actual)) result = DYN;
		}
		this.#overloads.set(expr.id, matching);
		if (result !== undefined) return result;
		const shown = args.map((arg) => this.#shown(arg));
		const applied = member ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
		return this.#error(expr.at, `found no matching overload for '${fn}' applied to '${applied}'`);
	}

	#entry(value: Expr, optional: boolean): { readonly at: number; readonly type: Type } {
		const type = this.check(value);
		if (!optional) return { at: value.at, type };
		const inner = this.#bindings.freshVariable();
		if (!this.#bindings.fits([type], [optionalOf(inner)]))
			return {
				at: value.at,
				type: this.#error(value.at, `expected type 'optional_type(${this.#shown(type)})' but found '${this.#shown(type)}'`),
			};
		return { at: value.at, type: this.#bindings.substituted(inner, false) };
	}

	/** The one type of all entries of a literal. */
	#joined(entries: readonly { readonly at: number; readonly type: Type }[]): Type {
		let joined: Type | undefined;
		for (const { at, type } of entries) {
			if (joined === undefined || joined.kind === 'error') joined = type;
			else if (this.#bindings.fits([joined], [type])) joined = mostGeneral(joined, type);
			else if (this.#formats > 0) joined = DYN;
			else return this.#error(at, `expected type '${this.#shown(joined)}' but found '${this.#shown(type)}'`);
		}
		return joined ?? this.#bindings.freshVariable();
	}

	#struct(expr: StructExpr): Type {
		const type = this.#scope.struct(expr.name.replace(/^\./, ''));
		if (type?.kind !== 'object') {
			for (const { value } of expr.fields) this.check(value);
			return this.#undeclared(expr.at, expr.name);
		}
		for (const { at, name, value, optional } of expr.fields) {
			const wanted = type.field(name);
			const given = this.check(value);
			if (wanted === undefined) {
				this.#error(at, `undefined field '${name}'`);
				continue;
			}
			const expected = optional ? optionalOf(wanted) : wanted;
			if (!this.#bindings.fits([given], [expected]))
				this.#error(at, `expected type of field '${name}' is '${this.#shown(expected)}' but provided type is '${this.#shown(given)}'`);
		}
		return type;
	}

	#comprehension(expr: ComprehensionExpr): Type {
		const range = this.#bindings.substituted(this.check(expr.range), false);
		const accumulator = this.check(expr.init);
		const [first, second] = this.#ranged(expr, range);
		const before = this.#locals.length;
		this.#locals.push({ name: expr.accumulator, type: accumulator });
		this.#locals.push({ name: expr.variable, type: first });
		if (expr.variable2 !== '') this.#locals.push({ name: expr.variable2, type: second });
		this.#expect(expr.condition, BOOL);
		this.#expect(expr.step, accumulator);
		this.#locals.length = before + 1;
		const result = this.check(expr.result);
		this.#locals.length = before;
		return this.#bindings.substituted(result, false);
	}

	#ranged(expr: ComprehensionExpr, range: Type): readonly [Type, Type] {
		const two = expr.variable2 !== '';
		switch (range.kind) {
			case 'map':
				return [range.key, range.value];
			case 'list':
				return two ? [INT, range.items] : [range.items, range.items];
			case 'dyn':
			case 'error':
				return [DYN, DYN];
			case 'param':
				this.#bindings.fits([DYN], [range]);
				return [DYN, DYN];
			default: {
				const text = `expression of type '${this.#shown(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
				return [this.#error(expr.range.at, text), ERROR];
			}
		}
	}

	#expect(expr: Expr, wanted: Type): void {
		const given = this.check(expr);
		if (!this.#bindings.fits([given], [wanted]))
			this.#error(expr.at, `expected type '${this.#shown(wanted)}' but found '${this.#shown(given)}'`);
	}
}
