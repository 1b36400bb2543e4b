/** Takes the fields of a set out of an object. */
import type { FieldSet } from './field-set.ts';
import { fieldElement, itemElement } from './path-element.ts';
import { childShape, deduce, isFields, type Fields, type Shape } from './shape.ts';

/** Undefined when nothing is left; a field that lost all its own is null, since its owners keep it. */
export function remove(shape: Shape, value: unknown, gone: FieldSet): unknown {
	if (gone.children.size === 0) return value;
	const known = deduce(shape, value);
	if (known.type === 'scalar') return value;
	if (known.type === 'list') {
		if (known.how === 'atomic' || !Array.isArray(value)) return undefined;
		const kept: unknown[] = [];
		for (const item of value as readonly unknown[]) {
			const element = itemElement(known, item);
			const part = element instanceof Error ? undefined : gone.child(element);
			if (part?.own === true) continue;
			const left = part === undefined ? item : remove(known.items, item, part);
			kept.push(left ?? null);
		}
		return kept.length === 0 ? undefined : kept;
	}
	if (known.atomic || !isFields(value)) return undefined;
	const kept: Fields = {};
	for (const [name, inner] of Object.entries(value)) {
		const part = gone.child(fieldElement(name));
		if (part?.own === true) continue;
		const left = part === undefined ? inner : remove(childShape(known, name), inner, part);
		kept[name] = left ?? null;
	}
	return Object.keys(kept).length === 0 ? undefined : kept;
}
