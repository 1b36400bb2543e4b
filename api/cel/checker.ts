/** Type checking: every node gets a type, every name and call what it refers to; errors in upstream's words. */
import { OP, type CallExpr, type ComprehensionExpr, type Expr, type MapExpr, type SelectExpr, type StructExpr } from './ast.ts';
import { mostGeneral, sameType, TypeBindings } from './assignable.ts';
import type { Functions, Overload } from './functions.ts';
import type { Issue } from './issues.ts';
import { qualifiedName, TYPE_NAMES, typeOfConstant } from './names.ts';
import { BOOL, DYN, ERROR, INT, isDyn, listOf, mapOf, optionalOf, typeName, type Type } from './types.ts';
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
			case 'list': {
				let items: Type | undefined;
				for (const [i, item] of expr.items.entries()) items = this.#joined(items, this.#entry(item, expr.optional.has(i)));
				return listOf(items ?? this.#bindings.freshVariable());
			}
			case 'map':
				return this.#map(expr);
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
		return this.#error(at, `undeclared reference to '${name}' (in container '')`);
	}

	#shown(type: Type): string {
		return typeName(this.#bindings.substituted(type, true));
	}

	/** A local, a variable or a type of that name. */
	#lookup(given: string): { readonly type: Type; readonly is: string | TypeValue } | undefined {
		const name = given.replace(/^\./, '');
		const local = given === name ? this.#locals.findLast((l) => l.name === name) : undefined;
		const found = local?.type ?? this.#scope.variable(name);
		if (found !== undefined) return { type: found, is: name };
		const type = Object.hasOwn(TYPE_NAMES, name) ? TYPE_NAMES[name] : this.#scope.struct(name);
		return type === undefined ? undefined : { type: { kind: 'type', of: type }, is: new TypeValue(name) };
	}

	#named(id: number, given: string): Type | undefined {
		const found = this.#lookup(given);
		if (found !== undefined) this.#names.set(id, found.is);
		return found?.type;
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
		if (operand.kind === 'map') return operand.value;
		if (operand.kind === 'object') return operand.field(field) ?? this.#error(at, `undefined field '${field}'`);
		// Upstream declares all but these two as message types, of which it then finds no description.
		if (operand.kind === 'opaque' && !operand.name.startsWith('net.'))
			return this.#error(at, `unexpected failed resolution of '${operand.name}'`);
		if (operand.kind === 'param') this.#bindings.fits([DYN], [operand]);
		else if (!isDyn(operand) && operand.kind !== 'error') this.#error(at, `type '${typeName(operand)}' does not support field selection`);
		return DYN;
	}

	#call(expr: CallExpr): Type {
		const { fn, target, args } = expr;
		if (fn === OP.optionalSelect) {
			const [operand, key] = args as [Expr, Expr];
			const type = this.check(operand);
			this.check(key);
			return this.#field(expr.at, type, key.type === 'const' ? (key.value as string) : '', true);
		}
		const types = args.map((arg) => this.check(arg));
		if (fn === OP.and || fn === OP.or) {
			const wrong = types.filter((type, i) => !this.#takes(args[i] as Expr, type, BOOL));
			return wrong.length === 0 ? BOOL : ERROR;
		}
		const qualified = target === undefined ? fn : qualifiedName(target);
		if (target !== undefined && qualified !== undefined && !this.#locals.some((l) => l.name === qualified.split('.', 1)[0])) {
			const name = `${qualified}.${fn}`;
			if (this.#scope.functions.named(name) !== undefined) {
				this.#names.set(expr.id, name);
				return this.#resolve(expr, name, types, false);
			}
		}
		const name = fn.replace(/^\./, '');
		if (target !== undefined) types.unshift(this.check(target));
		if (this.#scope.functions.named(name) === undefined) return this.#undeclared(expr.at, fn);
		return this.#resolve(expr, name, types, target !== undefined);
	}

	#resolve(expr: CallExpr, fn: string, args: readonly Type[], member: boolean): Type {
		const matching: Overload[] = [];
		let result: Type | undefined;
		for (const overload of this.#scope.functions.named(fn) ?? []) {
			if (overload.member !== member) continue;
			const [type, ...params] = this.#bindings.instantiate([overload.result, ...overload.params]) as [Type, ...Type[]];
			if (!this.#bindings.fits(args, params)) continue;
			matching.push(overload);
			const actual = this.#bindings.substituted(type, false);
			if (result === undefined) result = actual;
			else if (!isDyn(result) && !sameType(result, actual)) result = DYN;
		}
		this.#overloads.set(expr.id, matching);
		if (result !== undefined) return result;
		const shown = args.map((arg) => this.#shown(arg));
		const applied = member ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
		return this.#error(expr.at, `found no matching overload for '${fn}' applied to '${applied}'`);
	}

	#map(expr: MapExpr): Type {
		let keys: Type | undefined;
		let values: Type | undefined;
		for (const { key, value, optional } of expr.entries) {
			keys = this.#joined(keys, this.check(key));
			values = this.#joined(values, this.#entry(value, optional));
		}
		return mapOf(keys ?? this.#bindings.freshVariable(), values ?? this.#bindings.freshVariable());
	}

	/** What an entry holds: of an optional one, what the optional holds. */
	#entry(value: Expr, optional: boolean): Type {
		const type = this.check(value);
		if (!optional) return type;
		if (type.kind === 'opaque' && type.name === 'optional_type') return type.params[0] as Type;
		if (!isDyn(type)) this.#error(value.at, `expected type '${typeName(optionalOf(type))}' but found '${typeName(type)}'`);
		return type;
	}

	/** The one type of all entries of a literal; that they differ is told once all else is well. */
	#joined(joined: Type | undefined, type: Type): Type {
		if (joined === undefined) return type;
		return this.#bindings.fits([joined], [type]) ? mostGeneral(joined, type) : DYN;
	}

	#struct(expr: StructExpr): Type {
		const name = expr.name.replace(/^\./, '');
		const named = this.#lookup(expr.name)?.type;
		if (named === undefined) return this.#undeclared(expr.at, expr.name);
		let type: Type = ERROR;
		if (named.kind !== 'type') this.#error(expr.at, `'${typeName(named)}' is not a type`);
		else if (named.of?.kind === 'object') type = named.of;
		else this.#error(expr.at, `'${typeName(named.of ?? named)}' is not a message type`);
		for (const { at, name: field, value, optional } of expr.fields) {
			const given = this.#entry(value, optional);
			let wanted: Type | undefined;
			if (named.kind !== 'type') this.#error(at, `unexpected failed resolution of '${name}'`);
			else {
				wanted = type.kind === 'object' ? type.field(field) : undefined;
				if (wanted === undefined) this.#error(at, `undefined field '${field}'`);
			}
			if (wanted !== undefined && !this.#bindings.fits([wanted], [given]))
				this.#error(at, `expected type of field '${field}' is '${typeName(wanted)}' but provided type is '${typeName(given)}'`);
		}
		return type;
	}

	#comprehension(expr: ComprehensionExpr): Type {
		const given = this.check(expr.range);
		const accumulator = this.check(expr.init);
		const [first, second] = this.#ranged(expr, this.#bindings.substituted(given, false));
		const before = this.#locals.length;
		this.#locals.push({ name: expr.accumulator, type: accumulator });
		this.#locals.push({ name: expr.variable, type: first });
		if (expr.variable2 !== '') this.#locals.push({ name: expr.variable2, type: second });
		this.#takes(expr.condition, this.check(expr.condition), BOOL);
		this.#takes(expr.step, this.check(expr.step), accumulator);
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
				const text = `expression of type '${typeName(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
				return [this.#error(expr.range.at, text), ERROR];
			}
		}
	}

	/** Types are told as they are known so far, with variables that nothing has bound yet. */
	#takes(expr: Expr, given: Type, wanted: Type): boolean {
		const fits = this.#bindings.fits([wanted], [given]);
		if (!fits) this.#error(expr.at, `expected type '${typeName(wanted)}' but found '${typeName(given)}'`);
		return fits;
	}
}
