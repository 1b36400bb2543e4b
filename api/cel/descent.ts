/** Tokens to tree, by recursive descent over CEL's grammar (with optional syntax and escaped fields); macros are expanded on the way. */
import { OP, type Expr } from './ast.ts';
import { balanced } from './balanced.ts';
import { Cursor, doubleOf, intOf, MAX_DEPTH, PRODUCTS, RELATIONS, RESERVED, SUMS, uintOf, UNSUPPORTED, Wrong } from './grammar.ts';
import { NOWHERE, type Issue } from './issues.ts';
import type { Token } from './lexer.ts';
import { expandMacro } from './macros.ts';
import type { Value } from './values.ts';

/** Wrong is thrown at what is no expression. */
export class Descent {
	/** What is wrong though the grammar is not. */
	readonly issues: Issue[] = [];
	readonly #tokens: Cursor;
	readonly #binds: boolean;
	/** Expressions one inside another. */
	deepest = 0;
	#id = 0;
	#depth = 0;
	/** Operators and selections one inside another, of the deepest part read so far of what is being read. */
	#height = 0;

	constructor(tokens: readonly Token[], binds: boolean) {
		this.#tokens = new Cursor(tokens);
		this.#binds = binds;
	}

	readonly id = (): number => ++this.#id;

	whole(): Expr {
		const expr = this.#expression();
		if (this.#tokens.peek().type !== 'end') throw this.#tokens.unexpected();
		return expr;
	}

	#expression(): Expr {
		if (++this.#depth > MAX_DEPTH) throw this.#tokens.unexpected();
		this.deepest = Math.max(this.deepest, this.#depth);
		const expr = this.#measured(() => this.#conditional());
		this.#depth--;
		return expr;
	}

	#measured(read: () => Expr): Expr {
		const around = this.#height;
		this.#height = 0;
		const expr = read();
		this.#height = Math.max(around, this.#height);
		return expr;
	}

	/** One more operator or selection, over what was read. */
	#deepen(): void {
		if (++this.#height > MAX_DEPTH) throw new Wrong(NOWHERE, 'max recursion depth exceeded');
	}

	#conditional(): Expr {
		const condition = this.#balanced('||', OP.or, () => this.#balanced('&&', OP.and, () => this.#relation()));
		const question = this.#tokens.take('?');
		if (question === undefined) return condition;
		const id = this.id();
		const yes = this.#balanced('||', OP.or, () => this.#balanced('&&', OP.and, () => this.#relation()));
		this.#tokens.expect(':');
		const no = this.#expression();
		this.#deepen();
		return { type: 'call', id, at: question.at, fn: OP.conditional, target: undefined, args: [condition, yes, no] };
	}

	/** A chain of && or || becomes a balanced tree, so that long chains do not get deep. */
	#balanced(op: string, fn: string, operand: () => Expr): Expr {
		const terms = [operand()];
		const ops: { id: number; at: number }[] = [];
		for (let token = this.#tokens.take(op); token !== undefined; token = this.#tokens.take(op)) {
			ops.push({ id: this.id(), at: token.at });
			terms.push(operand());
		}
		return balanced(fn, terms, ops);
	}

	#relation(): Expr {
		const products = (): Expr => this.#binary(PRODUCTS, () => this.#unary());
		return this.#binary(RELATIONS, () => this.#binary(SUMS, products));
	}

	#binary(fns: Readonly<Record<string, string>>, operand: () => Expr): Expr {
		return this.#measured(() => this.#chained(fns, operand));
	}

	#chained(fns: Readonly<Record<string, string>>, operand: () => Expr): Expr {
		let left = operand();
		for (;;) {
			const token = this.#tokens.peek();
			const fn = token.type === 'op' ? fns[token.text] : undefined;
			if (fn === undefined) return left;
			this.#tokens.skip();
			const id = this.id();
			const right = operand();
			this.#deepen();
			left = { type: 'call', id, at: token.at, fn, target: undefined, args: [left, right] };
		}
	}

	/** Signs or negations, of one kind, before a member; a single minus before a number is the number's. */
	#unary(): Expr {
		const first = this.#tokens.peek();
		if (!this.#tokens.isOp('!') && !this.#tokens.isOp('-')) return this.#member();
		const { type } = this.#tokens.peek(1);
		if (first.text === '-' && (type === 'int' || type === 'float')) return this.#member();
		let count = 0;
		for (; this.#tokens.isOp(first.text); count++) this.#tokens.skip();
		const id = this.id();
		const operand = this.#member();
		if (count % 2 === 0) return operand;
		return { type: 'call', id, at: first.at, fn: first.text === '!' ? OP.not : OP.negate, target: undefined, args: [operand] };
	}

	#member(): Expr {
		return this.#measured(() => this.#selections(this.#primary()));
	}

	#selections(operand: Expr): Expr {
		let expr = operand;
		for (;;) {
			const dot = this.#tokens.take('.');
			if (dot !== undefined) {
				expr = this.#selected(expr, dot);
				this.#deepen();
				continue;
			}
			const bracket = this.#tokens.take('[');
			if (bracket === undefined) return expr;
			const id = this.id();
			const optional = this.#tokens.take('?') !== undefined;
			const index = this.#expression();
			this.#tokens.expect(']');
			this.#deepen();
			const fn = optional ? OP.optionalIndex : OP.index;
			expr = { type: 'call', id, at: bracket.at, fn, target: undefined, args: [expr, index] };
		}
	}

	#selected(operand: Expr, dot: Token): Expr {
		const optional = this.#tokens.take('?') !== undefined;
		const name = this.#tokens.expectType('ident', 'escaped');
		if (name.type === 'escaped') this.issues.push({ at: name.at, text: UNSUPPORTED });
		const field = name.text;
		if (optional) {
			const id = this.id();
			const key: Expr = { type: 'const', id: this.id(), at: name.at, value: field };
			return { type: 'call', id, at: dot.at, fn: OP.optionalSelect, target: undefined, args: [operand, key] };
		}
		const open = this.#tokens.take('(');
		if (open === undefined) return { type: 'select', id: this.id(), at: dot.at, operand, field, testOnly: false };
		const id = this.id();
		const args = this.#arguments();
		return this.#macro(id, open.at, field, operand, args);
	}

	#macro(id: number, at: number, fn: string, target: Expr | undefined, args: readonly Expr[]): Expr {
		const expanded = expandMacro({ id, at, fn, target, args, nextId: this.id, binds: this.#binds });
		if (expanded !== undefined && 'text' in expanded) this.issues.push(expanded);
		else if (expanded !== undefined) return expanded;
		return { type: 'call', id, at, fn, target, args };
	}

	#arguments(): Expr[] {
		const args: Expr[] = [];
		if (this.#tokens.take(')') !== undefined) return args;
		do args.push(this.#expression());
		while (this.#tokens.take(',') !== undefined);
		this.#tokens.expect(')');
		return args;
	}

	#primary(): Expr {
		const token = this.#tokens.peek();
		this.#tokens.skip();
		const constant = (value: Value): Expr => ({ type: 'const', id: this.id(), at: token.at, value });
		switch (token.type) {
			case 'string':
			case 'bytes':
				return constant(token.value as string | Uint8Array);
			case 'int':
				return constant(this.#literal(token, () => intOf(token, '')));
			case 'uint':
				return constant(this.#literal(token, () => uintOf(token)));
			case 'float':
				return constant(this.#literal(token, () => doubleOf(token)));
			case 'ident':
				return this.#identifier(token, '');
			case 'op':
				return this.#grouped(token);
			case 'escaped':
			case 'end':
				throw this.#tokens.unexpected();
		}
	}

	#literal(token: Token, read: () => Value): Value {
		try {
			return read();
		} catch (error) {
			if (!(error instanceof Wrong)) throw error;
			this.issues.push({ at: token.at, text: error.issue.text });
			return 0n;
		}
	}

	#grouped(token: Token): Expr {
		switch (token.text) {
			case '(': {
				const inner = this.#expression();
				this.#tokens.expect(')');
				return inner;
			}
			case 'true':
			case 'false':
				return { type: 'const', id: this.id(), at: token.at, value: token.text === 'true' };
			case 'null':
				return { type: 'const', id: this.id(), at: token.at, value: null };
			case '[':
				return this.#list(token);
			case '{':
				return this.#map(token);
			case '.': {
				const name = this.#tokens.expectType('ident');
				return this.#identifier(name, '.');
			}
			case '-': {
				const number = this.#tokens.expectType('int', 'float');
				const value = this.#literal(token, () => (number.type === 'float' ? -doubleOf(number) : intOf(number, '-')));
				return { type: 'const', id: this.id(), at: token.at, value };
			}
		}
		throw this.#tokens.unexpected();
	}

	#identifier(token: Token, dot: string): Expr {
		if (RESERVED.has(token.text)) this.issues.push({ at: token.at, text: `reserved identifier: ${token.text}` });
		const open = this.#tokens.take('(');
		if (open !== undefined) return this.#macro(this.id(), open.at, dot + token.text, undefined, this.#arguments());
		const struct = this.#tokens.takeMessageName();
		if (struct !== undefined) return this.#struct(dot + token.text + struct.rest, struct.brace);
		return { type: 'ident', id: this.id(), at: token.at, name: dot + token.text };
	}

	#struct(name: string, brace: Token): Expr {
		const id = this.id();
		const fields: { id: number; at: number; name: string; value: Expr; optional: boolean }[] = [];
		this.#tokens.skipLoneComma('}');
		while (!this.#tokens.isOp('}')) {
			const optional = this.#tokens.take('?') !== undefined;
			const field = this.#tokens.expectType('ident', 'escaped');
			const colon = this.#tokens.expect(':');
			const entry = this.id();
			if (field.type === 'escaped') this.issues.push({ at: field.at, text: UNSUPPORTED });
			fields.push({ id: entry, at: colon.at, name: field.text, value: this.#expression(), optional });
			if (this.#tokens.take(',') === undefined) break;
		}
		this.#tokens.expect('}');
		return { type: 'struct', id, at: brace.at, name, fields };
	}

	#list(bracket: Token): Expr {
		const id = this.id();
		const items: Expr[] = [];
		const optional = new Set<number>();
		this.#tokens.skipLoneComma(']');
		while (!this.#tokens.isOp(']')) {
			if (this.#tokens.take('?') !== undefined) optional.add(items.length);
			items.push(this.#expression());
			if (this.#tokens.take(',') === undefined) break;
		}
		this.#tokens.expect(']');
		return { type: 'list', id, at: bracket.at, items, optional };
	}

	#map(brace: Token): Expr {
		const id = this.id();
		this.#tokens.skipLoneComma('}');
		const entries: { id: number; key: Expr; value: Expr; optional: boolean }[] = [];
		while (!this.#tokens.isOp('}')) {
			const optional = this.#tokens.take('?') !== undefined;
			const entry = this.id();
			const key = this.#expression();
			this.#tokens.expect(':');
			entries.push({ id: entry, key, value: this.#expression(), optional });
			if (this.#tokens.take(',') === undefined) break;
		}
		this.#tokens.expect('}');
		return { type: 'map', id, at: brace.at, entries };
	}
}
