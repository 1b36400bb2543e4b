/** Does a value fit its shape? The first complaint, in upstream's words: `.data.a: expected string, got &value.valueUnstructured{Value:5}`. */
import { elementText, fieldElement, itemElement } from './path-element.ts';
import { goNumber } from '../go-float.ts';
import { goQuote } from '../go-quote.ts';
import { goText, goType } from '../go-values.ts';
import { deduce, isFields, type ListShape, type ScalarShape, type Shape } from './shape.ts';

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
			if (known.scalar === 'any' ? actual === 'object' : actual !== known.scalar) say(`expected ${EXPECTED[known.scalar](value)}`);
			return;
		}
		case 'list':
			if (!Array.isArray(value)) return say(`expected list, got ${plainText(value)}`);
			return items(out, path, known, value, allowDuplicates);
		case 'map':
		case 'fields':
			if (!isFields(value)) return known.type === 'map' && known.isRaw === true ? undefined : say(`expected map, got ${plainText(value)}`);
			for (const [name, inner] of Object.entries(value)) {
				const next = known.type === 'map' ? known.values : (known.field(name) ?? known.others);
				const at = path + elementText(fieldElement(name));
				if (next === undefined) {
					// Nothing after it is looked at.
					out.push(`${at}: field not declared in schema`);
					return;
				}
				visit(out, at, next, inner, allowDuplicates);
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

/** What each kind of scalar says of another value; Go prints it in four ways. */
const EXPECTED: Readonly<Record<ScalarShape['scalar'], (value: unknown) => string>> = {
	string: (value) => `string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
	number: (value) => `numeric (int or float), got ${goType(value)}`,
	boolean: (value) => `boolean, got ${plainText(value)}`,
	any: (value) => `any scalar, got ${plainText(value)}`,
};

/** Go's %v of an unstructured value. */
function plainText(value: unknown): string {
	return `&{${goText(value)}}`;
}

/** Go's %#v of what was decoded from JSON; maps come in the order of their keys. */
function goSyntax(value: unknown): string {
	if (value === null || value === undefined) return 'interface {}(nil)';
	if (typeof value === 'string') return goQuote(value);
	if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value);
	if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
	if (isFields(value))
		return `map[string]interface {}{${Object.entries(value)
			.toSorted(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, inner]) => `${goQuote(key)}:${goSyntax(inner)}`)
			.join(', ')}}`;
	return String(value as boolean);
}
