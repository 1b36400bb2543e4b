/** The fields that a new object sets: what `compare` with the kind's empty object calls added or modified, in one walk, since every create needs it. */
import { sameJson } from '../same-json.ts';
import { FieldSet } from './field-set.ts';
import { fieldElement, itemElement, type PathElement } from './path-element.ts';
import {
	childShape,
	deduce,
	isEmpty,
	isFields,
	type FieldsShape,
	type ListShape,
	type MapShape,
	type Shape,
	type UntypedShape,
} from './shape.ts';

const NONE = new FieldSet();
const MEMBER = FieldSet.of([]);

/** @param empty has no list with items */
export function newFields(shape: Shape, empty: unknown, object: unknown): FieldSet {
	if (object === undefined) return NONE;
	if (shape.type !== 'untyped' || empty === undefined) return fieldsAs(deduce(shape, object), empty, object);
	const [was, is] = [deduce(shape, empty), deduce(shape, object)];
	const fields = fieldsAs(is, empty, object);
	return was.type === is.type ? fields : fields.union(fieldsAs(was, empty, object));
}

function fieldsAs(shape: Exclude<Shape, UntypedShape>, empty: unknown, object: unknown): FieldSet {
	if (shape.type === 'scalar') return leaf(empty, object);
	if (shape.type === 'list') return shape.how === 'atomic' ? leaf(empty, object) : items(shape, empty, object);
	return shape.atomic ? leaf(empty, object) : children(shape, empty, object);
}

function leaf(empty: unknown, object: unknown): FieldSet {
	return empty !== undefined && sameJson(empty, object) ? NONE : MEMBER;
}

function children(shape: FieldsShape | MapShape, empty: unknown, object: unknown): FieldSet {
	const before = isFields(empty) ? empty : {};
	if (!isFields(object) || isEmpty(object)) return isEmpty(before) ? leaf(empty, object) : NONE;
	const out = new FieldSet();
	out.own = empty === undefined;
	for (const name in object) keep(out, fieldElement(name), newFields(childShape(shape, name), before[name], object[name]));
	return out;
}

/** Items that share their key count as one whole. */
function items(shape: ListShape, empty: unknown, object: unknown): FieldSet {
	if (!Array.isArray(object) || object.length === 0) return leaf(empty, object);
	const out = new FieldSet();
	out.own = empty === undefined;
	for (const item of object) {
		const element = itemElement(shape, item);
		if (element instanceof Error) continue;
		keep(out, element, out.child(element) === undefined ? newFields(shape.items, undefined, item) : MEMBER);
	}
	return out;
}

function keep(out: FieldSet, element: PathElement, child: FieldSet): void {
	if (!child.isEmpty) out.put(element, child);
}
