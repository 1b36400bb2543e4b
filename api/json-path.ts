/** JSONPath as kubectl and printer columns use it: `.a.b`, `['a']`, `[0]`, `[-1]`, `[1:3]`, `[*]`, `['a','b']`, `..a`, `[?(@.type=="Ready")]`. */

type Step =
	| { readonly type: 'field'; readonly name: string }
	| { readonly type: 'all' }
	| { readonly type: 'union'; readonly paths: readonly (readonly Step[])[] }
	| { readonly type: 'deep'; readonly name: string }
	| { readonly type: 'slice'; readonly from: number | undefined; readonly to: number | undefined; readonly step: number }
	| { readonly type: 'filter'; readonly path: readonly Step[]; readonly operator: string; readonly value: unknown };

export interface JsonPath {
	/** All that the path finds, in order. */
	find(value: unknown): unknown[];
}

/** Undefined: no path that is understood. */
export function parseJsonPath(text: string): JsonPath | undefined {
	const steps = parse(text.replace(/^\{(.*)\}$/s, '$1').replace(/^\$/, ''));
	return steps === undefined ? undefined : { find: (value) => walk(steps, value) };
}

const FIELD = /^\.(?:[^\\.[\]{}()'"?*\s]|\\.)+/;
const QUOTED = /^\['([^']*)'\]/;
const INDEX = /^\[(-?\d+)\]/;
const SLICE = /^\[(-?\d*):(-?\d*)(?::(-?\d+))?\]/;
/** A filter has commas of its own. */
const UNION = /^\[([^\]?]*,[^\]]*)\]/;
const FILTER =
	/^\[\?\(\s*@((?:\.[^\s=!<>()]+|\[[^\]]*\])*)\s*(?:(==|!=|<=|>=|<|>)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s)]+)\s*)?\)\]/;

function parse(text: string): readonly Step[] | undefined {
	const steps: Step[] = [];
	let rest = text;
	while (rest !== '') {
		const next = one(rest);
		if (next === undefined) return undefined;
		steps.push(...next.steps);
		rest = rest.slice(next.length);
	}
	return steps;
}

function one(rest: string): { readonly steps: readonly Step[]; readonly length: number } | undefined {
	if (rest.startsWith('..')) {
		const [whole, name] = /^\.\.([^.[\]\s]+)/.exec(rest) ?? [];
		return whole === undefined ? undefined : { steps: [{ type: 'deep', name: name as string }], length: whole.length };
	}
	for (const all of ['.*', '[*]']) if (rest.startsWith(all)) return { steps: [{ type: 'all' }], length: all.length };
	const field = FIELD.exec(rest)?.[0];
	if (field !== undefined) return { steps: [fieldOf(field)], length: field.length };
	if (rest === '.') return { steps: [], length: 1 };
	const quoted = QUOTED.exec(rest);
	if (quoted !== null) {
		// It is read as a path of its own: dots part it, unless they are escaped.
		const inner = (quoted[1] ?? '') === '' ? [fieldOf('.')] : parse(`.${quoted[1]}`);
		return inner === undefined ? undefined : { steps: inner, length: quoted[0].length };
	}
	const index = INDEX.exec(rest);
	if (index !== null) {
		const from = Number(index[1]);
		return { steps: [{ type: 'slice', from, to: from === -1 ? undefined : from + 1, step: 1 }], length: index[0].length };
	}
	const slice = SLICE.exec(rest);
	if (slice !== null) {
		const bound = (given: string | undefined): number | undefined => (given === undefined || given === '' ? undefined : Number(given));
		return { steps: [{ type: 'slice', from: bound(slice[1]), to: bound(slice[2]), step: bound(slice[3]) ?? 1 }], length: slice[0].length };
	}
	const union = UNION.exec(rest);
	if (union !== null) return unionOf(union[1] ?? '', union[0].length);
	const filter = FILTER.exec(rest);
	if (filter === null) return undefined;
	const path = parse(filter[1] ?? '');
	if (path === undefined) return undefined;
	return { steps: [{ type: 'filter', path, operator: filter[2] ?? '', value: literal(filter[3]) }], length: filter[0].length };
}

function fieldOf(text: string): Step {
	return { type: 'field', name: text.slice(1).replaceAll('\\', '') };
}

/** Keys and places that are found one after another; all must be readable. */
function unionOf(text: string, length: number): ReturnType<typeof one> {
	const paths: (readonly Step[])[] = [];
	for (const part of text.split(',')) {
		const path = parse(`[${part.trim()}]`);
		if (path === undefined) return undefined;
		paths.push(path);
	}
	return { steps: [{ type: 'union', paths }], length };
}

function literal(text: string | undefined): unknown {
	if (text === undefined) return undefined;
	if (/^['"]/.test(text)) return text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
	if (text === 'true' || text === 'false') return text === 'true';
	return Number.isNaN(Number(text)) ? text : Number(text);
}

function walk(steps: readonly Step[], value: unknown): unknown[] {
	return steps.reduce((found: unknown[], step) => found.flatMap((v) => take(step, v)), [value]);
}

function take(step: Step, value: unknown): unknown[] {
	const isList = Array.isArray(value);
	const isMap = typeof value === 'object' && value !== null && !isList;
	switch (step.type) {
		case 'field':
			return isMap && Object.hasOwn(value, step.name) ? [(value as Record<string, unknown>)[step.name]] : [];
		case 'all':
			return isList ? value : isMap ? Object.values(value) : [];
		case 'slice':
			return isList ? value.slice(step.from, step.to).filter((_, i) => i % step.step === 0) : [];
		case 'deep': {
			const inner = isList ? value : isMap ? Object.values(value) : [];
			return [...take({ type: 'field', name: step.name }, value), ...inner.flatMap((v) => take(step, v))];
		}
		case 'union':
			return step.paths.flatMap((path) => walk(path, value));
		case 'filter':
			return isList ? value.filter((item) => holds(step, item)) : [];
	}
}

function holds({ path, operator, value }: Step & { readonly type: 'filter' }, item: unknown): boolean {
	const [found] = walk(path, item);
	switch (operator) {
		case '':
			return found !== undefined;
		case '==':
			return found === value;
		case '!=':
			return found !== value;
	}
	if (typeof found !== typeof value || (typeof found !== 'number' && typeof found !== 'string')) return false;
	const order = found < (value as typeof found) ? -1 : found > (value as typeof found) ? 1 : 0;
	return operator === '<' ? order < 0 : operator === '<=' ? order <= 0 : operator === '>' ? order > 0 : order >= 0;
}
