/** Takes the fields of a set out of an object. */
import type { FieldSet } from './field-set.ts';
import { fieldElement, itemElement } from './path-element.ts';
import { childShape, deduce, isFields, type Fields, type Shape } from './shape.ts';
import { setOwn } from '../own-field.ts';

/** Undefined when nothing is left; a map or list below that lost all its own stays, empty. */
export function remove(shape: Shape, value: unknown, gone: FieldSet): unknown {
	if (gone.children.size === 0) return value;
	const known = deduce(shape, value);
	if (known.type === 'scalar') return value;
	if (known.type === 'list') {
		if (known.how === 'atomic' || !Array.isArray(value) || value.length === 0) return undefined;
		const kept: unknown[] = [];
		let reachedInto = false;
		for (const item of value as readonly unknown[]) {
			const element = itemElement(known, item);
			const part = element instanceof Error ? undefined : gone.child(element);
			if (part?.own === true) continue;
			if (part !== undefined) reachedInto = true;
			kept.push(part === undefined ? item : without(known.items, item, part));
		}
		return kept.length > 0 || reachedInto ? kept : undefined;
	}
	if (known.atomic || !isFields(value)) return undefined;
	const kept: Fields = {};
	let reachedInto = false;
	for (const [name, inner] of Object.entries(value)) {
		const part = gone.child(fieldElement(name));
		if (part?.own === true) continue;
		if (part !== undefined) reachedInto = true;
		setOwn(kept, name, part === undefined ? inner : without(childShape(known, name), inner, part));
	}
	return reachedInto || Object.keys(kept).length > 0 ? kept : undefined;
}

function without(shape: Shape, value: unknown, gone: FieldSet): unknown {
	return remove(shape, value, gone) ?? (Array.isArray(value) ? [] : isFields(value) ? {} : null);
}
