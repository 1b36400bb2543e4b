/** Paths of one field in a schema: ".spec.a", ".items['b.c']" (apiextensions cel.ValidFieldPath). */
import { additionalOf, propertyOf, type Schema } from './schema.ts';

export type FoundField = { readonly schema: Schema; readonly steps: readonly string[] } | { readonly error: string };

/** @param brackets whether `['name']` is allowed too */
export function fieldAt(path: string, root: Schema, brackets: boolean): FoundField {
	const steps = stepsOf(path, brackets);
	if (typeof steps === 'string') return { error: steps };
	let schema: Schema = root;
	for (const step of steps) {
		const inner = propertyOf(schema, step) ?? additionalOf(schema);
		if (inner === undefined) return { error: 'does not refer to a valid field' };
		schema = inner;
	}
	return { schema, steps };
}

const STEP = /\.([A-Za-z_][A-Za-z0-9_-]*)|\[('(?:[^'\\]|\\.)*')\]/y;

/** The names; a text says what is wrong. */
function stepsOf(path: string, brackets: boolean): readonly string[] | string {
	const steps: string[] = [];
	STEP.lastIndex = 0;
	while (STEP.lastIndex < path.length) {
		const at = STEP.lastIndex;
		const [found, name, quoted] = STEP.exec(path) ?? [];
		if (found === undefined || (quoted !== undefined && !brackets))
			return /\[\d+\]/.test(path.slice(at)) || path[at] === '['
				? 'array element subscript is not supported; only field selection is allowed'
				: at === 0
					? `expected [ or . but got: ${path.slice(0, 1)}${path.slice(1).split(/[.[]/, 1)[0] ?? ''}`
					: 'expected [ or . but got: end of string';
		steps.push(name ?? (quoted as string).slice(1, -1).replaceAll(/\\(.)/g, '$1'));
	}
	return steps.length === 0 ? 'unexpected end of string' : steps;
}
