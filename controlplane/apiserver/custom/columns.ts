/** Columns that a definition adds to tables, found by JSONPath (apiextensions tableconvertor). */
import type { CustomResourceColumnDefinition } from '../../../api/gen/types.ts';
import { parseJsonPath } from '../../../api/json-path.ts';
import type { KubeObject } from '../../../api/resource.ts';
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
	const wanted = (isDefault ? [AGE] : given).map((column) => ({ column, path: parseJsonPath(column.jsonPath) }));
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

function cell(type: string, found: readonly unknown[], now: number): unknown {
	const [value] = found;
	if (found.length === 0 || value === null || value === undefined) return null;
	switch (type) {
		case 'integer':
			return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null;
		case 'number':
			return typeof value === 'number' || typeof value === 'bigint' ? value : null;
		case 'boolean':
			return typeof value === 'boolean' ? value : null;
		case 'date':
			return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? since(value, now) : '<unknown>';
	}
	return found.map(shown).join(',');
}

/** A text as it is, all else as JSON. */
function shown(value: unknown): string {
	return typeof value === 'string' ? value : JSON.stringify(value);
}
