/** Paths of one field in a schema: ".spec.a", ".items['b.c']" (apiextensions cel.ValidFieldPath). */
import { additionalOf, propertyOf, type Schema } from './schema.ts';

/** `path`: as errors name it. */
export type FoundField = { readonly schema: Schema; readonly steps: readonly string[]; readonly path: string } | { readonly error: string };

/** @param brackets whether `['name']` is allowed too */
export function fieldAt(path: string, root: Schema, brackets: boolean): FoundField {
	const { steps, error } = stepsOf(path, brackets);
	let schema: Schema = root;
	let found = '';
	for (const step of steps) {
		const property = propertyOf(schema, step);
		const inner = property ?? additionalOf(schema);
		if (inner === undefined) return { error: 'does not refer to a valid field' };
		found = property === undefined ? `${found}[${step}]` : found === '' ? step : `${found}.${step}`;
		schema = inner;
	}
	if (error !== undefined) return { error };
	return { schema, steps, path: found };
}

/** Tokens: a quoted string, a delimiter, or all up to the next one; a quotation without an end is one token. */
const TOKENS = /'(?:[^'\\]|\\.)*'|'.*$|[.[\]]|[^.[\]]+/gs;

/** The names, up to what is wrong. */
function stepsOf(path: string, brackets: boolean): { readonly steps: readonly string[]; readonly error?: string } {
	const steps: string[] = [];
	const tokens = path.match(TOKENS) ?? [];
	for (let i = 0; i < tokens.length; i++) {
		const token = tokens[i] ?? '';
		if (token !== '.' && token !== '[') return { steps, error: `expected [ or . but got: ${token}` };
		if (token === '[' && !brackets) return { steps, error: 'array notation is not allowed' };
		const name = tokens[++i];
		if (name === undefined) return { steps, error: 'unexpected end of JSON path' };
		if (token === '.') {
			steps.push(name);
			continue;
		}
		if (!/^'.*'$/s.test(name)) return { steps, error: `expected single quoted string but got ${name}` };
		steps.push(name.slice(1, -1).replaceAll(/\\(.)/g, '$1'));
		const end = tokens[++i];
		if (end !== ']') return { steps, error: end === undefined ? 'unexpected end of JSON path' : `expected ] but got ${end}` };
	}
	return { steps };
}
