/**
 * The defaults that the API server sets when it reads an object. Fields defaulted everywhere come from the contract (`defaulted`), those of single kinds
 * and those with conditions from the rules beside this file.
 */
import { schemaOfKind, type FieldSchema, type StructType } from '../schema.ts';
import type { KindName } from '../kind-name.ts';
import { defaultKind } from './kinds.ts';
import { defaultStruct } from './structs.ts';

type Json = Record<string, unknown>;

/** Sets defaults in place. The object must be canonical: structs that are always present are there. */
export function applyDefaults(kind: KindName, object: Json): void {
	const type = schemaOfKind(kind.group, kind.version, kind.kind);
	if (type === undefined) return;
	defaultKind(kind, object);
	walk(planOf(type), object);
}

/** What of a struct is ever defaulted, itself or below. */
interface Plan {
	readonly rule: ((struct: Json) => void) | undefined;
	readonly defaulted: readonly FieldSchema[];
	/** Filled in after the plan exists, since types are recursive. */
	readonly inner: { readonly name: string; readonly shape: FieldSchema['shape']; readonly plan: Plan }[];
}

const plans = new Map<StructType, Plan>();

function planOf(type: StructType): Plan {
	const known = plans.get(type);
	if (known !== undefined) return known;
	const fields = [...type.fields.values()];
	const plan: Plan = {
		rule: defaultStruct.get(type.name),
		defaulted: fields.filter((f) => f.defaulted !== undefined && !isNothing(f)),
		inner: [],
	};
	plans.set(type, plan);
	for (const { name, shape, type: inner } of fields)
		if (inner.form === 'struct' && reaches(inner)) plan.inner.push({ name, shape, plan: planOf(inner) });
	return plan;
}

/** An empty map or list that is not written anyway. */
function isNothing({ shape, omitempty, defaulted }: FieldSchema): boolean {
	return shape !== 'single' && omitempty && Object.keys(defaulted as object).length === 0;
}

/** True when anything in the type or below is ever defaulted; the rest is not walked. */
function reaches(type: StructType, seen = new Set<StructType>()): boolean {
	if (seen.has(type)) return false;
	seen.add(type);
	if (defaultStruct.has(type.name)) return true;
	return [...type.fields.values()].some((f) => f.defaulted !== undefined || (f.type.form === 'struct' && reaches(f.type, seen)));
}

function walk(plan: Plan, object: Json): void {
	plan.rule?.(object);
	for (const field of plan.defaulted) if (isAbsent(field, object[field.name])) object[field.name] = fresh(field.defaulted);
	for (const { name, shape, plan: inner } of plan.inner) {
		const value = object[name];
		if (value === undefined || value === null) continue;
		if (shape === 'list') for (const item of value as Json[]) walk(inner, item);
		else if (shape === 'map') for (const item of Object.values(value as Record<string, Json>)) walk(inner, item);
		else walk(inner, value as Json);
	}
}

/** Missing, null, or the zero value where the field is not a pointer. */
function isAbsent(field: FieldSchema, value: unknown): boolean {
	if (value === undefined || value === null) return true;
	if (field.pointer) return false;
	if (field.shape !== 'single') return Object.keys(value as object).length === 0 && !Array.isArray(field.defaulted);
	return value === '' || value === 0 || value === false;
}

const fresh = (value: unknown): unknown => (typeof value === 'object' ? structuredClone(value) : value);
