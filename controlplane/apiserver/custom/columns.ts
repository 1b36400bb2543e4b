/** Columns that a definition adds to tables, found by JSONPath (apiextensions tableconvertor). */
import type { CustomResourceColumnDefinition } from '../../../api/gen/types.ts';
import { goJson } from '../../../api/go-json.ts';
import { parseJsonPath } from '../../../api/json-path.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { readTime } from '../../../api/time-parse.ts';
import { since, type Column } from '../table/column.ts';
import { described } from '../table/descriptions.ts';

export interface CustomColumns {
	readonly columns: readonly object[];
	cells(object: KubeObject, now: number): readonly unknown[];
}

const NAME: Column = { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 };
const AGE: CustomResourceColumnDefinition = {
	name: 'Age',
	type: 'date',
	jsonPath: '.metadata.creationTimestamp',
};

/** A definition without columns shows names and ages. */
export function customColumns(given: readonly CustomResourceColumnDefinition[] | undefined): CustomColumns {
	const isDefault = given === undefined || given.length === 0;
	const all = (isDefault ? [AGE] : given).map((column) => ({ column, path: parseJsonPath(column.jsonPath) }));
	// Upstream stops at the first path that it cannot read.
	const firstBad = all.findIndex(({ path }) => path === undefined);
	const wanted = firstBad === -1 ? all : all.slice(0, firstBad);
	const own = wanted.map(({ column }) => ({
		name: column.name,
		type: column.type as Column['type'],
		format: column.format ?? '',
		description:
			(column.description ?? '') === ''
				? `Custom resource definition column (in JSONPath format): ${column.jsonPath}`
				: (column.description as string),
		priority: column.priority ?? 0,
	}));
	return {
		// The documentation is read when the first table is asked for.
		get columns() {
			return [...described('', [NAME]), ...(isDefault ? described('', own) : own)];
		},
		cells: (object, now) => [
			object.metadata.name ?? '',
			...wanted.map(({ column, path }) => (path === undefined ? null : cell(column.type, path.find(object), now))),
		],
	};
}

/** Only the first of what is found is shown. */
function cell(type: string, found: readonly unknown[], now: number): unknown {
	const [value] = found;
	if (value === undefined) return null;
	if (value === null) return type === 'string' ? '<no value>' : null;
	switch (type) {
		case 'integer':
			return typeof value === 'number' ? wholeOf(value) : typeof value === 'bigint' ? value : null;
		case 'number':
			return typeof value === 'number' || typeof value === 'bigint' ? value : null;
		case 'boolean':
			return typeof value === 'boolean' ? value : null;
		case 'date':
			return typeof value === 'string' ? sinceText(value, now) : null;
	}
	return typeof value === 'string' ? value : typeof value === 'object' ? goJson(value) : String(value as number | bigint | boolean);
}

/** As Go makes an int64 of a double. */
function wholeOf(value: number): number | bigint {
	return Math.abs(value) < 2 ** 63 ? Math.trunc(value) : -(2n ** 63n);
}

function sinceText(value: string, now: number): string {
	if (value === '' || value === 'null') return since(undefined, now);
	try {
		readTime(value);
	} catch {
		return '<invalid>';
	}
	return since(value, now);
}
