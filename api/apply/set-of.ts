/** The fields that an object sets: what an apply configuration claims. */
import { FieldSet } from './field-set.ts';
import { fieldElement, itemElement, type PathElement } from './path-element.ts';
import { childShape, deduce, isDeclared, isFields, type Shape } from './shape.ts';

export function setOf(shape: Shape, value: unknown): FieldSet {
	const out = new FieldSet();
	visit(out, [], shape, value);
	return out;
}

function visit(out: FieldSet, path: readonly PathElement[], shape: Shape, value: unknown): void {
	const known = deduce(shape, value);
	if (known.type === 'scalar' || (known.type === 'list' ? known.how === 'atomic' : known.atomic)) {
		out.insert(path);
		return;
	}
	if (known.type === 'list') {
		if (!Array.isArray(value)) return;
		const counts = new Map<PathElement, number>();
		for (const item of value) {
			const element = itemElement(known, item);
			if (!(element instanceof Error)) counts.set(element, (counts.get(element) ?? 0) + 1);
		}
		for (const item of value) {
			const element = itemElement(known, item);
			if (element instanceof Error) continue;
			// Items that share their key count as one whole.
			if (counts.get(element) === 1) visit(out, [...path, element], known.items, item);
			out.insert([...path, element]);
		}
		return;
	}
	if (!isFields(value)) return;
	for (const [name, inner] of Object.entries(value)) {
		const at = [...path, fieldElement(name)];
		visit(out, at, childShape(known, name), inner);
		const hollow = inner === null || (isFields(inner) && Object.keys(inner).length === 0);
		if (hollow || !isDeclared(known, name)) out.insert(at);
	}
}
