/** Which fields differ between two objects of one shape, as added, modified and removed paths. */
import { sameJson } from '../same-json.ts';
import { holdsSentEmpty } from '../sent-empty.ts';
import { FieldSet } from './field-set.ts';
import { fieldElement, itemElement, type PathElement } from './path-element.ts';
import { childShape, deduce, isEmpty, isFields, type Fields, type ListShape, type Shape, type UntypedShape } from './shape.ts';

export interface Comparison {
	readonly added: FieldSet;
	readonly modified: FieldSet;
	readonly removed: FieldSet;
}

export function compare(shape: Shape, before: unknown, after: unknown): Comparison {
	const out: Comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
	visit({ out, path: [] }, shape, before, after);
	return out;
}

interface Walk {
	readonly out: Comparison;
	/** Where it is. */
	readonly path: PathElement[];
}

function visitBelow(walk: Walk, element: PathElement, shape: Shape, before: unknown, after: unknown): void {
	walk.path.push(element);
	visit(walk, shape, before, after);
	walk.path.pop();
}

function visit(walk: Walk, shape: Shape, before: unknown, after: unknown): void {
	if (before === undefined && after === undefined) return;
	if (shape.type !== 'untyped' || before === undefined || after === undefined)
		return visitAs(walk, deduce(shape, after ?? before), before, after);
	const [was, is] = [deduce(shape, before), deduce(shape, after)];
	// A value that changed its type is compared as both: what was in it is gone, what is in it is new.
	if (was.type !== is.type) visitAs(walk, was, before, after);
	visitAs(walk, is, before, after);
}

function visitAs(walk: Walk, shape: Exclude<Shape, UntypedShape>, before: unknown, after: unknown): void {
	if (shape.type === 'scalar' || (shape.type === 'list' ? shape.how === 'atomic' : shape.atomic)) return leaf(walk, before, after);
	if (shape.type === 'list') {
		const a = Array.isArray(before) ? before : [];
		const b = Array.isArray(after) ? after : [];
		if (a.length === 0 && b.length === 0) return leaf(walk, before, after);
		list(walk, shape, a, b);
	} else {
		const a: Fields = isFields(before) ? before : {};
		const b: Fields = isFields(after) ? after : {};
		if (isEmpty(a) && isEmpty(b)) return leaf(walk, before, after);
		for (const name of Object.keys(a)) visitBelow(walk, fieldElement(name), childShape(shape, name), a[name], b[name]);
		for (const name of Object.keys(b))
			if (!Object.hasOwn(a, name)) visitBelow(walk, fieldElement(name), childShape(shape, name), undefined, b[name]);
	}
	itself(walk, before, after);
}

/** A value with children that came or went is itself a member, beside them. */
function itself({ out, path }: Walk, before: unknown, after: unknown): void {
	if (before === undefined) out.added.insert(path);
	else if (after === undefined) out.removed.insert(path);
}

function leaf(walk: Walk, before: unknown, after: unknown): void {
	if (before === undefined || after === undefined) itself(walk, before, after);
	else if (!sameJson(before, after) || isSentEmpty(before, after)) walk.out.modified.insert(walk.path);
}

/** Lists are compared as Go's types, to which one that is empty inside is not one that is absent; from the store none comes empty. */
function isSentEmpty(before: unknown, after: unknown): boolean {
	return Array.isArray(after) && holdsSentEmpty(after) && !holdsSentEmpty(before);
}

/** Items that share their key count as one whole. */
function list(walk: Walk, shape: ListShape, before: readonly unknown[], after: readonly unknown[]): void {
	const a = index(shape, before);
	const b = index(shape, after);
	for (const element of new Set([...a.keys(), ...b.keys()])) {
		const olds = a.get(element) ?? [];
		const news = b.get(element) ?? [];
		if (olds.length <= 1 && news.length <= 1) visitBelow(walk, element, shape.items, olds[0], news[0]);
		else if (olds.length >= 2 && news.length >= 2) {
			if (!sameJson(olds, news)) walk.out.modified.insert([...walk.path, element]);
		} else if (olds.length >= 2) {
			if (news.length > 0) visitBelow(walk, element, shape.items, undefined, news[0]);
			walk.out.removed.insert([...walk.path, element]);
		} else {
			if (olds.length > 0) visitBelow(walk, element, shape.items, olds[0], undefined);
			walk.out.added.insert([...walk.path, element]);
		}
	}
}

function index(shape: ListShape, items: readonly unknown[]): Map<PathElement, unknown[]> {
	const out = new Map<PathElement, unknown[]>();
	for (const item of items) {
		const element = itemElement(shape, item);
		if (element instanceof Error) continue;
		const same = out.get(element);
		if (same === undefined) out.set(element, [item]);
		else same.push(item);
	}
	return out;
}
