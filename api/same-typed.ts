/**
 * Equality of values of the API as upstream's rules mean it (apimachinery's equality.Semantic): quantities by their amount, absent lists and maps as empty
 * ones, an absent value that is no pointer as its zero. Which field is what, the contract says. Pure.
 */
import { compareQuantities } from './quantity.ts';
import { sameJson } from './same-json.ts';
import { schemaOfKind, typeNamed, type FieldSchema, type StructType, type TypeSchema } from './schema.ts';
import type { KindName } from './kind-name.ts';

type Json = Readonly<Record<string, unknown>>;

/** @param type the contract's name, such as "core/v1.PodSpec" */
export function sameTyped(type: string, a: unknown, b: unknown): boolean {
	const schema = typeNamed(type);
	return sameAtOnce(schema, a, b) || sameValues(schema, a, b, true);
}

/** Of whole objects, or what is left of them; those of no built-in kind are the JSON that they are. */
export function sameOfKind({ group, version, kind }: KindName, a: object, b: object): boolean {
	const type = schemaOfKind(group, version, kind);
	if (type === undefined) return sameJson(a, b);
	return sameAtOnce(type, a, b) || sameStructs(type, a as Json, b as Json);
}

/** Most values are the same as they stand, which is three times as fast to see; of raw JSON it says too much. */
function sameAtOnce(type: TypeSchema, a: unknown, b: unknown): boolean {
	return !holdsRaw(type) && sameJson(a, b);
}

const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;

function sameValues(type: TypeSchema, a: unknown, b: unknown, pointer: boolean): boolean {
	if (a === b) return true;
	if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b) ? true : !pointer && isZero(type, a ?? b);
	if (type.form === 'struct') return isFields(a) && isFields(b) ? sameStructs(type, a, b) : sameJson(a, b);
	if (type.form === 'encoded' && type.encoding === 'quantity') return compareQuantities(a as string, b as string) === 0;
	// Raw JSON is the bytes that it came as.
	if (type.form === 'encoded' && type.encoding === 'rawExtension') return JSON.stringify(a) === JSON.stringify(b);
	return sameJson(a, b);
}

function sameStructs(type: StructType, a: Json, b: Json): boolean {
	for (const field of type.fields.values()) if (!sameField(field, a[field.name], b[field.name])) return false;
	const others = (value: Json): string[] => Object.keys(value).filter((key) => !type.fields.has(key));
	return [...others(a), ...others(b)].every((key) => sameJson(a[key], b[key]));
}

function sameField({ shape, type, pointer }: FieldSchema, a: unknown, b: unknown): boolean {
	if (a === b) return true;
	if (shape === 'single') return sameValues(type, a, b, pointer);
	if (shape === 'list') {
		const [left, right] = [a ?? [], b ?? []] as [readonly unknown[], readonly unknown[]];
		return left.length === right.length && left.every((item, i) => sameValues(type, item, right[i], false));
	}
	const [left, right] = [a ?? {}, b ?? {}] as [Json, Json];
	const keys = Object.keys(left);
	return (
		keys.length === Object.keys(right).length &&
		keys.every((key) => Object.hasOwn(right, key) && sameValues(type, left[key], right[key], false))
	);
}

/** Whether Go has the value where none was given. */
function isZero(type: TypeSchema, value: unknown): boolean {
	if (isAbsent(value)) return true;
	if (type.form === 'struct')
		return [...type.fields.values()].every(({ name, shape, type: inner, pointer }) => {
			const given = (value as Json)[name];
			if (isAbsent(given)) return true;
			return shape === 'single' ? !pointer && isZero(inner, given) : Object.keys(given).length === 0;
		});
	if (type.form === 'encoded') return type.encoding === 'quantity' ? compareQuantities(value as string, 0) === 0 : value === 0;
	return value === '' || value === 0 || value === false;
}

function isFields(value: unknown): value is Json {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const raw = new Map<TypeSchema, boolean>();

function holdsRaw(type: TypeSchema, seen = new Set<TypeSchema>()): boolean {
	if (type.form !== 'struct') return type.form === 'encoded' && type.encoding === 'rawExtension';
	const known = raw.get(type);
	if (known !== undefined) return known;
	if (seen.has(type)) return false;
	const isFirst = seen.size === 0;
	seen.add(type);
	const found = [...type.fields.values()].some((field) => holdsRaw(field.type, seen));
	// A no that was found on the way may have been cut short by a type that contains itself.
	if (found || isFirst) raw.set(type, found);
	return found;
}
