/** Does a value fit its shape? The first complaint, in upstream's words: `.data.a: expected string, got &value.valueUnstructured{Value:5}`. */
import { elementText, fieldElement, itemElement } from './path-element.ts';
import { deduce, isFields, type ListShape, type Shape } from './shape.ts';

export function check(shape: Shape, value: unknown, allowDuplicates: boolean): string | undefined {
	const complaints: string[] = [];
	visit(complaints, '', shape, value, allowDuplicates);
	return complaints.length === 0
		? undefined
		: complaints.length === 1
			? complaints[0]
			: `errors:\n${complaints.map((c) => `  ${c}`).join('\n')}`;
}

function visit(out: string[], path: string, shape: Shape, value: unknown, allowDuplicates: boolean): void {
	if (value === null || value === undefined) return;
	const known = deduce(shape, value);
	const say = (text: string): void => void out.push(`${path}: ${text}`);
	switch (known.type) {
		case 'scalar': {
			// An exact integer beyond 2^53 is a bigint.
			const actual = typeof value === 'bigint' ? 'number' : typeof value;
			if (known.scalar === 'any' ? actual === 'object' : actual !== known.scalar)
				say(
					`expected ${known.scalar === 'number' ? 'numeric (int or float)' : known.scalar === 'any' ? 'scalar' : known.scalar}, got ${goValue(value)}`,
				);
			return;
		}
		case 'list':
			if (!Array.isArray(value)) return say(`expected list, got ${goValue(value)}`);
			return items(out, path, known, value, allowDuplicates);
		case 'map':
		case 'fields':
			if (!isFields(value)) return say(`expected map, got ${goValue(value)}`);
			for (const [name, inner] of Object.entries(value)) {
				const next = known.type === 'map' ? known.values : (known.field(name) ?? known.others);
				const at = path + elementText(fieldElement(name));
				if (next === undefined) out.push(`${at}: field not declared in schema`);
				else visit(out, at, next, inner, allowDuplicates);
			}
	}
}

function items(out: string[], path: string, shape: ListShape, value: readonly unknown[], allowDuplicates: boolean): void {
	const seen = new Set<string>();
	for (const [i, item] of value.entries()) {
		const element = shape.how === 'atomic' ? `i:${i}` : itemElement(shape, item);
		if (element instanceof Error) {
			out.push(`${path}: element ${i}: ${element.message}`);
			return;
		}
		if (seen.has(element) && !allowDuplicates) out.push(`${path}: duplicate entries for key ${elementText(element)}`);
		seen.add(element);
		visit(out, path + elementText(element), shape.items, item, allowDuplicates);
	}
}

/** Go's %#v of an unstructured value, as far as it can be told. */
function goValue(value: unknown): string {
	return `&value.valueUnstructured{Value:${goText(value)}}`;
}

function goText(value: unknown): string {
	if (typeof value === 'string') return JSON.stringify(value);
	if (Array.isArray(value)) return `[]interface {}{${value.map(goText).join(', ')}}`;
	if (isFields(value))
		return `map[string]interface {}{${Object.entries(value)
			.map(([key, inner]) => `${JSON.stringify(key)}:${goText(inner)}`)
			.join(', ')}}`;
	return String(value);
}
