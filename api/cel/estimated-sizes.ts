/** How large the values of an expression may be: told by literals, by the calls that make them, or by where they stand in a schema. */
import type { Expr } from './ast.ts';
import type { Checked } from './checker.ts';
import { estimates, UNKNOWN, type Range, type SizeAt } from './ranges.ts';
import type { Type } from './types.ts';
import { sizeOf } from './values.ts';

/** Sizes of what a list or a map holds; the keys of a list are its indexes. */
export interface Entries {
	readonly kind: 'list' | 'map';
	readonly key: Range;
	readonly value: Range;
}

interface Local {
	readonly name: string;
	readonly path: readonly string[];
	readonly size: Range | undefined;
	readonly entries: Entries | undefined;
}

/** What is of one size whatever its value. */
const SCALARS = new Set(['bool', 'int', 'uint', 'double', 'timestamp', 'duration']);
const ONE = estimates.fixed(1);
const RESULT = '@result';

export class EstimatedSizes {
	readonly #checked: Checked;
	readonly #sizeAt: SizeAt;
	readonly #paths = new Map<number, readonly string[]>();
	readonly #sizes = new Map<number, Range>();
	readonly #entries = new Map<number, Entries>();
	readonly #locals: Local[] = [];

	constructor(checked: Checked, sizeAt: SizeAt) {
		this.#checked = checked;
		this.#sizeAt = sizeAt;
	}

	/** Where the value stands, from a variable on; empty for what stands nowhere. */
	path(expr: Expr): readonly string[] {
		return this.#local(expr)?.path ?? this.#paths.get(expr.id) ?? [];
	}

	setPath(expr: Expr, path: readonly string[]): void {
		this.#paths.set(expr.id, path);
	}

	/** The node is that variable. */
	name(id: number, name: string): void {
		this.#paths.set(id, this.#named(name)?.path ?? [name]);
	}

	size(expr: Expr): Range | undefined {
		const known = this.#sizes.get(expr.id) ?? literalSize(expr);
		if (known !== undefined) return known;
		const path = this.path(expr);
		const there = path.length === 0 ? undefined : this.#sizeAt(path);
		if (there !== undefined) {
			this.#sizes.set(expr.id, there);
			return there;
		}
		return isScalar(this.#checked.types.get(expr.id)) ? ONE : this.#local(expr)?.size;
	}

	sizeOrUnknown(expr: Expr | undefined): Range {
		return (expr === undefined ? undefined : this.size(expr)) ?? UNKNOWN;
	}

	setSize(expr: Expr, size: Range): void {
		this.#sizes.set(expr.id, size);
	}

	entries(expr: Expr): Entries | undefined {
		return this.#entries.get(expr.id) ?? this.#local(expr)?.entries;
	}

	setEntries(expr: Expr, entries: Entries): void {
		this.#entries.set(expr.id, entries);
	}

	copy(to: Expr, from: Expr): void {
		const [size, entries] = [this.size(from), this.entries(from)];
		if (size !== undefined) this.setSize(to, size);
		if (entries !== undefined) this.setEntries(to, entries);
	}

	/** What a list holds as its type and its place tell it; undefined for what has no type of items. */
	items(list: Expr): { readonly size: Range; readonly isText: boolean } | undefined {
		const type = this.#checked.types.get(list.id);
		if (type?.kind !== 'list') return undefined;
		const path = this.path(list);
		const stands = path.length > 0 && path[0] !== RESULT;
		const { kind } = type.items;
		return { size: (stands ? this.#sizeAt([...path, '@items']) : undefined) ?? UNKNOWN, isText: kind === 'string' || kind === 'bytes' };
	}

	local(name: string, value: Expr): Local {
		return { name, path: this.path(value), size: this.size(value), entries: this.entries(value) };
	}

	/** Until the returned function is called. */
	enter(locals: readonly Local[]): () => void {
		const before = this.#locals.length;
		this.#locals.push(...locals);
		return () => (this.#locals.length = before);
	}

	#named(name: string): Local | undefined {
		return this.#locals.findLast((local) => local.name === name);
	}

	#local(expr: Expr): Local | undefined {
		return expr.type === 'ident' ? this.#named(expr.name) : undefined;
	}
}

function isScalar(type: Type | undefined): boolean {
	if (type?.kind === 'opaque' && type.name === 'optional_type') return isScalar(type.params[0]);
	return SCALARS.has(type?.kind ?? 'dyn');
}

function literalSize(expr: Expr): Range | undefined {
	switch (expr.type) {
		case 'const':
			return estimates.fixed(sizeOf(expr.value) ?? 1);
		case 'list':
			return estimates.fixed(expr.items.length);
		case 'map':
			return estimates.fixed(expr.entries.length);
		default:
			return undefined;
	}
}
