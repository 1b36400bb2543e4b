/** JSON values: any, and valid ones with a few edits somewhere inside. */
import type { Choose } from './choose.ts';
import { NASTY } from './text.ts';

const SCALARS: readonly unknown[] = [null, '', 0, 'x', true, false, -1, 1.5, 1e21, 2 ** 53, -(2 ** 31) - 1, 9007199254740993n, ...NASTY];
const KEYS = [
	'a',
	'b',
	'name',
	'kind',
	'metadata',
	'spec',
	'labels',
	'type',
	'items',
	'$patch',
	'$retainKeys',
	'__proto__',
	'constructor',
	'',
	'x/y',
];

export function anyJson(choose: Choose, depth = 3): unknown {
	if (depth === 0 || choose.chance(50)) return choose.pick(SCALARS);
	if (choose.chance(3)) return nested(choose);
	if (choose.chance(40)) return choose.several(4, () => anyJson(choose, depth - 1));
	return objectOf(choose.several(4, () => [choose.pick(KEYS), anyJson(choose, depth - 1)] as const));
}

/** One thing in the other, deeper than anybody means it. */
function nested(choose: Choose): unknown {
	const list = choose.chance(50);
	let value: unknown = 1;
	for (let i = choose.pick([20, 200, 2000]); i > 0; i--) value = list ? [value] : { a: value };
	return value;
}

/** With every key as an own one, "__proto__" too, as JSON.parse makes them. */
export function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
	const made: Record<string, unknown> = {};
	for (const [key, value] of entries) Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
	return made;
}

/** A copy, with up to three edits at places of their own most of the time. */
export function editedJson(choose: Choose, value: unknown): unknown {
	let made = value;
	for (let i = choose.upTo(3); i > 0; i--) made = editAt(choose, made, 12);
	return made;
}

function editAt(choose: Choose, value: unknown, depth: number): unknown {
	const inside = typeof value === 'object' && value !== null && depth > 0;
	if (!inside || choose.chance(15)) return replaced(choose, value);
	if (Array.isArray(value)) {
		const list = value as unknown[];
		if (list.length === 0 || choose.chance(20)) return [...list, list[0] ?? anyJson(choose, 2)];
		const at = choose.upTo(list.length - 1);
		return choose.chance(20) ? list.toSpliced(at, 1) : list.with(at, editAt(choose, list[at], depth - 1));
	}
	const entries = Object.entries(value);
	if (entries.length === 0 || choose.chance(15)) return objectOf([...entries, [choose.pick(KEYS), anyJson(choose, 2)]]);
	const at = choose.upTo(entries.length - 1);
	const [key, item] = entries[at] as [string, unknown];
	if (choose.chance(10)) return objectOf(entries.toSpliced(at, 1));
	return objectOf(entries.with(at, [choose.chance(5) ? choose.pick(KEYS) : key, editAt(choose, item, depth - 1)]));
}

function replaced(choose: Choose, value: unknown): unknown {
	switch (choose.pick(['scalar', 'any', 'list', 'object', 'text'] as const)) {
		case 'scalar':
			return choose.pick(SCALARS);
		case 'any':
			return anyJson(choose);
		case 'list':
			return [value, value];
		case 'object':
			return { a: value };
		case 'text':
			return typeof value === 'string' ? value + choose.pick(NASTY) : String(value as string);
	}
}

/** On the wire nothing tells an empty list, map or text from one that is not there. */
export function withoutEmpty(value: unknown): unknown {
	if (value === '') return null;
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map(withoutEmpty);
	// Nor do objects inside say what they are.
	const named = Object.entries(value).filter(([key]) => key !== 'apiVersion' && key !== 'kind');
	const entries = named.map(([key, item]) => [key, withoutEmpty(item)] as const);
	return objectOf(entries.filter(([, item]) => item !== null && (typeof item !== 'object' || Object.keys(item).length > 0)));
}
