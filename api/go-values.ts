/** Values of any type as Go prints and names them. Pure. */
import { goNumber, isInt64 } from './go-float.ts';
import { isObject } from './structural/schema.ts';

/** Go's %v of a value, as errors quote it: `map[name:a tags:[x y]]`. */
export function goText(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
	if (isObject(value))
		return `map[${Object.entries(value)
			.toSorted(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, inner]) => `${key}:${goText(inner)}`)
			.join(' ')}]`;
	if (typeof value === 'number' || typeof value === 'bigint') return goNumber(value);
	return value === null || value === undefined ? '<nil>' : String(value as string | boolean);
}

/** The name of its type, as an unstructured object has it. */
export function goType(value: unknown): string {
	if (Array.isArray(value)) return '[]interface {}';
	if (isObject(value)) return 'map[string]interface {}';
	switch (typeof value) {
		case 'number':
		case 'bigint':
			return isInt64(value) ? 'int64' : 'float64';
		case 'boolean':
			return 'bool';
		case 'string':
			return 'string';
		default:
			return '<nil>';
	}
}
