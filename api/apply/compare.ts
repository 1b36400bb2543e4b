/** Which fields differ between two objects of one shape, as added, modified and removed paths. */
import { sameJson } from '../same-json.ts';
import { FieldSet } from './field-set.ts';
import { fieldElement, itemElement, type PathElement } from './path-element.ts';
import { childShape, deduce, isEmpty, isFields, type Fields, type ListShape, type Shape } from './shape.ts';

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
	readonly path: readonly PathElement[];
}

function below({ out, path }: Walk, element: PathElement): Walk {
	return { out, path: [...path, element] };
}

function visit(walk: Walk, shape: Shape, before: unknown, after: unknown): void {
	if (before === undefined && after === undefined) return;
	const known = deduce(shape, after ?? before);
	if (shape.type === 'untyped' && isEmpty(before) !== isEmpty(after) && typeof before !== typeof after) leaf(walk, before, after);
	else if (known.type === 'scalar' || (known.type === 'list' ? known.how === 'atomic' : known.atomic)) leaf(walk, before, after);
	else if (isEmpty(before) && isEmpty(after)) leaf(walk, before, after);
	else if (known.type === 'list') {
		list(walk, known, Array.isArray(before) ? before : [], Array.isArray(after) ? after : []);
		itself(walk, before, after);
	} else {
		const a: Fields = isFields(before) ? before : {};
		const b: Fields = isFields(after) ? after : {};
		for (const name of Object.keys(a)) visit(below(walk, fieldElement(name)), childShape(known, name), a[name], b[name]);
		for (const name of Object.keys(b))
			if (!Object.hasOwn(a, name)) visit(below(walk, fieldElement(name)), childShape(known, name), undefined, b[name]);
		itself(walk, before, after);
	}
}

/** A value with children that came or went is itself a member, beside them. */
function itself({ out, path }: Walk, before: unknown, after: unknown): void {
	if (before === undefined) out.added.insert(path);
	else if (after === undefined) out.removed.insert(path);
}

function leaf(walk: Walk, before: unknown, after: unknown): void {
	if (before === undefined || after === undefined) itself(walk, before, after);
	else if (!sameJson(before, after)) walk.out.modified.insert(walk.path);
}

/** Items that share their key count as one whole. */
function list(walk: Walk, shape: ListShape, before: readonly unknown[], after: readonly unknown[]): void {
	const a = index(shape, before);
	const b = index(shape, after);
	for (const element of new Set([...a.keys(), ...b.keys()])) {
		const olds = a.get(element) ?? [];
		const news = b.get(element) ?? [];
		const at = below(walk, element);
		if (olds.length <= 1 && news.length <= 1) visit(at, shape.items, olds[0], news[0]);
		else if (olds.length >= 2 && news.length >= 2) {
			if (!sameJson(olds, news)) walk.out.modified.insert(at.path);
		} else if (olds.length >= 2) {
			if (news.length > 0) visit(at, shape.items, undefined, news[0]);
			walk.out.removed.insert(at.path);
		} else {
			if (olds.length > 0) visit(at, shape.items, olds[0], undefined);
			walk.out.added.insert(at.path);
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
