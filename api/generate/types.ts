/** Writes the TypeScript interfaces of all types: `gen/types.ts`. */
import type { ContractField, ContractType } from './contract.ts';

const SCALARS: Readonly<Record<string, string>> = {
	string: 'string',
	bool: 'boolean',
	int32: 'number',
	int64: 'number',
	float64: 'number',
	bytes: 'string',
	any: 'unknown',
};

/** What a type with a JSON form of its own is in TypeScript. */
const ENCODED: Readonly<Record<string, string>> = {
	time: 'string',
	microTime: 'string',
	duration: 'string',
	quantity: 'string',
	intOrString: 'number | string',
	rawExtension: 'unknown',
	fieldsV1: 'Record<string, unknown>',
	json: 'unknown',
	items: 'string[]',
	groupVersion: 'string',
	schemaOrBool: 'unknown',
	schemaOrArray: 'unknown',
	schemaOrStringArray: 'unknown',
	unknown: 'unknown',
};

type Types = ReadonlyMap<string, ContractType>;
type Names = ReadonlyMap<string, string>;

export function typesSource(types: Types, names: Names): string {
	const sorted = [...types].toSorted(([a], [b]) => ((names.get(a) ?? '') < (names.get(b) ?? '') ? -1 : 1));
	const blocks = sorted.map(([full, type]) => declaration(names.get(full) ?? full, type, types, names));
	return `/** Generated from api/contract by api/generate. Do not edit. */\n\n${blocks.join('\n')}\n`;
}

function declaration(name: string, type: ContractType, types: Types, names: Names): string {
	const alias = (is: string): string => `export type ${name} = ${is};`;
	if (type.encoding !== undefined) return alias(ENCODED[type.encoding] ?? 'unknown');
	if (type.scalar !== undefined) return alias(SCALARS[type.scalar] ?? 'unknown');
	if (type.list === true) return alias(`${nameOf(type.type ?? '', names)}[]`);
	if (type.map === true) return alias(`Record<string, ${nameOf(type.type ?? '', names)}>`);
	const isKind = type.gvk !== undefined;
	const lines = isKind ? ['\tapiVersion?: string | undefined;', '\tkind?: string | undefined;'] : [];
	for (const [key, field] of flattened(type, types)) {
		if (isKind && (key === 'apiVersion' || key === 'kind')) continue;
		const required = type.required?.includes(key) === true || (isKind && key === 'metadata');
		const property = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
		lines.push(`\t${property}${required ? '' : '?'}: ${typeOf(field, names)}${required ? '' : ' | undefined'};`);
	}
	return [`export interface ${name} {`, ...lines, '}'].join('\n');
}

/** The fields with those of inline structs; a struct's own come before. */
function flattened(type: ContractType, types: Types): ReadonlyMap<string, ContractField> {
	const found = new Map<string, ContractField>();
	for (const [key, field] of Object.entries(type.fields ?? {})) {
		const inner = field.inline === true ? types.get(field.type) : undefined;
		if (inner === undefined) found.set(key, field);
		else for (const [innerKey, innerField] of flattened(inner, types)) if (!found.has(innerKey)) found.set(innerKey, innerField);
	}
	return found;
}

function typeOf(field: ContractField, names: Names): string {
	const element = nameOf(field.type, names);
	if (field.list === true) return `${element}[]`;
	return field.map === true ? `Record<string, ${element}>` : element;
}

function nameOf(type: string, names: Names): string {
	return SCALARS[type] ?? names.get(type) ?? type;
}
