/** The parts of a value that apply would replace as a whole: atomic lists, maps and structs (what mutating policies may not touch). */
import { elementText, fieldElement } from './path-element.ts';
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
			return [
				...(known.how === 'atomic' ? [path] : []),
				...value.flatMap((item, index) => atomicsIn(known.items, item, `${path}[${index}]`)),
			];
		case 'map':
		case 'fields':
			if (!isFields(value)) return [];
			return [
				...(known.atomic ? [path] : []),
				// What a map holds is not looked at, as by upstream.
				...Object.entries(value).flatMap(([name, inner]) =>
					known.type === 'map' ? [] : atomicsIn(childShape(known, name), inner, path + elementText(fieldElement(name))),
				),
			];
	}
}
