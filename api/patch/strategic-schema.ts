/** What strategic merging asks the contract of a field: its type, its patch strategy and its merge key. Errors are in the words of apimachinery's strategicpatch. */
import type { FieldSchema, StructType, TypeSchema } from '../schema.ts';
import { failure } from './strategic-errors.ts';

/** A type as Go's reflection sees it. */
export type MergeType = { readonly kind: 'struct'; readonly type: StructType } | { readonly kind: string; readonly type: undefined };

export interface FieldMerging {
	readonly of: MergeType;
	/** '', 'merge' or 'replace'. */
	readonly strategy: string;
	/** '' for none. */
	readonly mergeKey: string;
}

export function mergeTypeOf(type: StructType | undefined): MergeType {
	return type === undefined ? { kind: 'map', type } : { kind: 'struct', type };
}

/** A field whose value is an object. */
export function structField(of: MergeType, name: string): FieldMerging {
	const field = fieldOf(of, name);
	return {
		of: field.shape === 'single' ? typed(field.type) : { kind: field.shape === 'list' ? 'slice' : 'map', type: undefined },
		...rulesOf(field),
	};
}

/** A field whose value is a list: its elements. */
export function listField(of: MergeType, name: string): FieldMerging {
	const field = fieldOf(of, name);
	const isList = field.shape === 'list' || (field.shape === 'single' && field.pointer);
	if (!isList) throw failure(`expected slice or array type, but got: ${of.kind}`);
	return { of: typed(field.type), ...rulesOf(field) };
}

function fieldOf({ kind, type }: MergeType, name: string): FieldSchema {
	if (type === undefined) throw failure(`merging an object in json but data type is not struct, instead is: ${kind}`);
	const field = type.fields.get(name);
	if (field !== undefined) return field;
	const goName = type.name.slice(type.name.lastIndexOf('.') + 1);
	throw failure(`unable to find api field in struct ${goName} for the json field ${JSON.stringify(name)}`);
}

function typed(type: TypeSchema): MergeType {
	switch (type.form) {
		case 'struct':
			return { kind: 'struct', type };
		case 'encoded':
			return { kind: 'struct', type: undefined };
		case 'scalar':
			return { kind: type.scalar === 'bytes' ? 'slice' : type.scalar === 'any' ? 'interface' : type.scalar, type: undefined };
	}
}

function rulesOf({ patchStrategy, patchMergeKey }: FieldSchema): { strategy: string; mergeKey: string } {
	return { strategy: patchStrategy.find((strategy) => strategy !== 'retainKeys') ?? '', mergeKey: patchMergeKey ?? '' };
}
