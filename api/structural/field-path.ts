/** Paths of one field in a schema: ".spec.a", ".items['b.c']" (apiextensions cel.ValidFieldPath). */
import { additionalOf, propertyOf, type Schema } from './schema.ts';

/** `path`: as errors name it. Of what may be anything there is no schema. */
export type FoundField =
	| { readonly schema: Schema | undefined; readonly steps: readonly string[]; readonly path: string }
	| { readonly error: string };

/** @param brackets whether `['name']` is allowed too */
export function fieldAt(path: string, root: Schema, brackets: boolean): FoundField {
	const { steps, error } = stepsOf(path, brackets);
	let schema: Schema | undefined = root;
	let found = '';
	for (const step of steps) {
		const isNamed = hasProperties(schema);
		const inner = propertyOf(schema, step);
		if (isNamed ? inner === undefined : schema?.additionalProperties === undefined) return { error: 'does not refer to a valid field' };
		found = !isNamed ? `${found}[${step}]` : found === '' ? step : `${found}.${step}`;
		schema = isNamed ? inner : additionalOf(schema);
	}
	if (error !== undefined) return { error };
	return { schema, steps, path: found };
}

const hasProperties = (schema: Schema | undefined): boolean => Object.keys(schema?.properties ?? {}).length > 0;

/**
 * Tokens: a quoted string, a delimiter, or all up to the next one; a quotation without an end is one token. Any backslash before a quote keeps
 * it from being the end, one that is escaped itself as well.
 */
const TOKENS = /'(?:[^']|(?<=\\)')*(?<!\\)'|'.*$|[.[\]]|[^.[\]]+/gs;

/** What may follow a backslash. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
	['a', '\x07'],
	['b', '\b'],
	['f', '\f'],
	['n', '\n'],
	['r', '\r'],
	['t', '\t'],
	['v', '\v'],
	["'", "'"],
	['\\', '\\'],
]);

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
		const inside = name.slice(1, -1);
		const wrong = [...inside.matchAll(/\\(.)/g)].findLast(([, escaped = '']) => !ESCAPES.has(escaped));
		if (wrong !== undefined) return { steps, error: `invalid string literal: invalid escape char ${wrong[0]}` };
		steps.push(inside.replaceAll(/\\(.)/g, (_, escaped: string) => ESCAPES.get(escaped) ?? ''));
		const end = tokens[++i];
		if (end !== ']') return { steps, error: end === undefined ? 'unexpected end of JSON path' : `expected ] but got ${end}` };
	}
	return { steps };
}
