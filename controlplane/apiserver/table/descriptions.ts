/**
 * Descriptions of table columns. `descriptions.json` has those that are texts of their own on the wire, and for those that are a field's
 * documentation ("@type.field") where to read it; the documentation has spaces for line breaks, so their offsets follow.
 */
import { readDocumentation } from '../openapi/documentation.ts';
import type { Column } from './column.ts';
import table from './descriptions.json' with { type: 'json' };

type Texts = Readonly<Record<string, string>>;
/** What a column of that name means in every kind that says nothing else. */
const COMMON = '*';

let known: Readonly<Record<string, Texts>> | undefined;

/** The columns of a kind with their descriptions, which are read when the first table is asked for. */
export function described(kind: string, columns: readonly Column[]): readonly Column[] {
	known ??= resolve();
	const texts = { ...known[COMMON], ...known[kind] };
	return columns.map((column) => ({ ...column, description: texts[column.name] ?? '' }));
}

function resolve(): Readonly<Record<string, Texts>> {
	const documentation = readDocumentation();
	const text = (given: string): string => {
		if (!given.startsWith('@')) return given;
		const [reference = '', ...breaks] = given.slice(1).split(' ');
		const dot = reference.lastIndexOf('.');
		const characters = [...(documentation(reference.slice(0, dot), reference.slice(dot + 1)) ?? '')];
		for (const offset of breaks) characters[Number(offset)] = '\n';
		return characters.join('');
	};
	const entries = Object.entries(table as Readonly<Record<string, Texts>>);
	return Object.fromEntries(
		entries.map(([kind, texts]) => [kind, Object.fromEntries(Object.entries(texts).map(([k, v]) => [k, text(v)]))]),
	);
}
