/** The parts of a value that apply would replace as a whole: atomic lists, maps and structs (what mutating policies may not touch). */
import { elementText, fieldElement, itemElement } from './path-element.ts';
import { childShape, deduce, isFields, type Shape } from './shape.ts';

/** Their paths: ".spec.tolerations". */
export function atomicsIn(shape: Shape, value: unknown, path = ''): readonly string[] {
	if (value === null || value === undefined) return [];
	const known = deduce(shape, value);
	switch (known.type) {
		case 'scalar':
			return [];
		case 'list':
			if (!Array.isArray(value)) return [];
			if (known.how === 'atomic') return [path];
			return value.flatMap((item) => {
				const element = itemElement(known, item);
				return atomicsIn(known.items, item, element instanceof Error ? path : path + elementText(element));
			});
		case 'map':
		case 'fields':
			if (known.atomic) return [path];
			if (!isFields(value)) return [];
			return Object.entries(value).flatMap(([name, inner]) =>
				atomicsIn(childShape(known, name), inner, path + elementText(fieldElement(name))),
			);
	}
}
