/** Rules that are not asked of a schema, because one of before broke them. */

/** Of types, of what one expression may cost, of items and keys in maps, and of items in sets. */
export type SchemaOption = 'anyType' | 'expensive' | 'looseKeys' | 'looseSets';

export interface SchemaSkips {
	has(option: SchemaOption): boolean;
}

export const ASKED: SchemaSkips = new Set();
