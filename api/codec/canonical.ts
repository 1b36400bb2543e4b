/**
 * A decoded JSON value as Go would write it after reading it into the type: types checked, unknown fields found, empty values dropped or
 * written by the contract's omitempty rules, quantities and times in canonical form, keys in Go's order.
 */
import { AppError } from '../../base/errors.ts';
import type { EncodedType, StructType } from '../schema.ts';
import { noteEmpty } from '../sent-empty.ts';
import { canonicalEncoded } from './canonical-encoded.ts';
import { canonicalScalar, zeroOf } from './canonical-scalar.ts';
import { FloatLiteral } from './float-literal.ts';
import { DecodeError, goCollection, goType, typeMismatch } from './mismatch.ts';
import { EMBEDDED, MAP_KEY, planOf, type FieldPlan, type StructPlan, type ValuePlan } from './plan.ts';
import type { Walk } from './walk.ts';

type Json = Record<string, unknown>;

export interface Finds {
	/** Told of every field that the type does not have, by path; also by the one without keys of maps, which is how what goes through no JSON calls it. */
	readonly unknown: (path: string, withoutKeys: string) => void;
	/** As read from a store that keeps protobuf, which knows no empty lists and maps: they are written as absent ones. */
	readonly dropsEmpty?: boolean;
}

/** The whole object; TypeMeta fields included. DecodeError says what does not fit. */
export function canonicalObject(type: StructType, value: Json, finds: Finds): Json {
	const walk: Walk = { path: [], struct: '', unknown: finds.unknown, dropsEmpty: finds.dropsEmpty };
	try {
		return struct(planOf(type), value, walk);
	} catch (error) {
		throw error instanceof AppError ? toldError(type, value, error) : error;
	}
}

/** Of all that is wrong, what Go tells. */
function toldError(type: StructType, value: Json, found: AppError): AppError {
	const mismatches: Walk['mismatches'] = { first: undefined };
	try {
		struct(planOf(type), value, { path: [], struct: '', mismatches, unknown: () => {} });
	} catch (error) {
		if (error instanceof AppError) return error;
		throw error;
	}
	return mismatches.first ?? found;
}

/** A field of the second walk. */
function passed(field: FieldPlan, given: unknown, walk: Walk, mismatches: NonNullable<Walk['mismatches']>): unknown {
	const [depth, name] = [walk.path.length, walk.struct];
	try {
		return present(field, given, walk);
	} catch (error) {
		if (!(error instanceof DecodeError) || error.final) throw error;
		mismatches.first ??= error;
		walk.path.length = depth;
		walk.struct = name;
		return undefined;
	}
}

function fieldsAsWritten({ type, fields }: StructPlan, value: Json): readonly FieldPlan[] {
	const byName = new Map(fields.map((field) => [field.name, field]));
	return Object.keys(value).flatMap((name) => (type.fields.has(name) ? (byName.get(name) ?? []) : []));
}

function struct(plan: StructPlan, value: Json, walk: Walk): Json {
	const out: Json = {};
	const fields = walk.mismatches === undefined ? plan.fields : fieldsAsWritten(plan, value);
	const outer = walk.struct;
	walk.struct = plan.goName;
	const total = Object.keys(value).length;
	let known = 0;
	for (let i = 0; i < fields.length; i++) {
		const field = fields[i] as FieldPlan;
		const { name } = field;
		// Behind the last one there is nothing to look for: a lookup that finds nothing is a slow one.
		const given = known < total ? value[name] : undefined;
		if (given === undefined || given === null) {
			if (given === null) known++;
			const result = absent(field);
			if (result !== undefined) out[name] = result;
			continue;
		}
		known++;
		const { embedded } = field;
		for (let e = 0; e < embedded.length; e++) walk.path.push(embedded[e] as string);
		walk.path.push(name);
		const result = walk.mismatches === undefined ? present(field, given, walk) : passed(field, given, walk, walk.mismatches);
		for (let e = embedded.length; e >= 0; e--) walk.path.pop();
		if (result !== undefined) out[name] = result;
		else if (walk.dropsEmpty !== true && field.shape !== 'single') noteEmpty(out, name, given);
	}
	if (total !== known) reportUnknown(plan, value, walk);
	walk.struct = outer;
	return out;
}

function reportUnknown({ type }: StructPlan, value: Json, walk: Walk): void {
	for (const name of Object.keys(value)) {
		if (type.fields.has(name)) continue;
		const path = [...walk.path, name];
		walk.unknown(pathText(path), pathText(path.filter((part) => typeof part === 'number' || !part.startsWith(MAP_KEY))));
	}
}

/** "spec.containers[0].image" */
function pathText(path: readonly (string | number)[]): string {
	let text = '';
	for (const part of path) {
		if (typeof part === 'string' && part.startsWith(EMBEDDED)) continue;
		const name = typeof part === 'string' && part.startsWith(MAP_KEY) ? part.slice(MAP_KEY.length) : part;
		text += typeof name === 'number' ? `[${name}]` : text === '' ? name : `.${name}`;
	}
	return text;
}

/** Undefined: the field is not written. */
function present(field: FieldPlan, given: unknown, walk: Walk): unknown {
	const { value: type, omitempty } = field;
	if (field.shape === 'list') {
		if (!Array.isArray(given)) throw typeMismatch(given, walk, goCollection(field, walk.struct));
		return given.length === 0 && (omitempty || walk.dropsEmpty === true) ? absent(field) : list(type, given, walk);
	}
	if (field.shape === 'map') {
		if (!isFields(given)) throw typeMismatch(given, walk, goCollection(field, walk.struct));
		return map(type, given, omitempty || walk.dropsEmpty === true, walk) ?? absent(field);
	}
	const value = type.form === 'scalar' ? canonicalScalar(type.scalar, given, walk, type) : element(type, given, walk);
	// Go's zero time is null, and an object that has it none.
	if (value === null) return absent(field);
	if (field.pointer) return value;
	if (omitempty) {
		if (type.form === 'scalar' && isZero(value)) return undefined;
		if (type.form === 'encoded' && type.type.encoding === 'items' && (value as unknown[]).length === 0) return undefined;
	}
	return field.omitzero && isZeroStruct(value) ? undefined : value;
}

function list(type: ValuePlan, given: readonly unknown[], walk: Walk): unknown[] {
	const out: unknown[] = [];
	for (let i = 0; i < given.length; i++) {
		walk.path.push(i);
		out.push(element(type, given[i], walk));
		walk.path.pop();
	}
	return out;
}

/** Keys sorted, as Go writes maps. */
function map(type: ValuePlan, given: Json, dropsEmpty: boolean, walk: Walk): Json | undefined {
	const keys = Object.keys(given);
	if (keys.length === 0 && dropsEmpty) return undefined;
	if (keys.length > 1 && walk.mismatches === undefined) keys.sort();
	const entries = keys.map((key): [string, unknown] => {
		walk.path.push(`${MAP_KEY}${key}`);
		const value = element(type, given[key], walk);
		walk.path.pop();
		return [key, value];
	});
	return Object.fromEntries(entries);
}

function absent(field: FieldPlan): unknown {
	if (field.omitempty && field.pointer) return undefined;
	if (field.shape !== 'single') return field.omitempty ? undefined : null;
	if (field.pointer) return null;
	if (field.omitzero) return undefined;
	const { value } = field;
	switch (value.form) {
		case 'scalar':
			return field.omitempty ? undefined : zeroOf(value.scalar);
		case 'encoded':
			if (value.type.encoding === 'items' && field.omitempty) return undefined;
			return zeroEncoded(value.type.encoding);
		case 'struct':
			return emptyStruct(value.plan());
	}
}

function zeroEncoded(encoding: string): unknown {
	return encoding === 'quantity' ? '0' : encoding === 'intOrString' ? 0 : encoding === 'duration' ? '0s' : null;
}

function emptyStruct({ fields }: StructPlan): Json {
	const out: Json = {};
	for (const field of fields) {
		const value = absent(field);
		if (value !== undefined) out[field.name] = value;
	}
	return out;
}

function isZero(value: unknown): boolean {
	return value === '' || value === 0 || value === false || value === null;
}

function isZeroStruct(value: unknown): boolean {
	return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** One value of the type, in a list, a map, or by itself. */
function element(type: ValuePlan, given: unknown, walk: Walk): unknown {
	switch (type.form) {
		case 'scalar':
			// Bytes come back from a store that keeps protobuf as empty ones.
			if (given === null || given === undefined) return type.scalar === 'bytes' ? '' : zeroOf(type.scalar);
			return canonicalScalar(type.scalar, given, walk, type);
		case 'encoded':
			return walk.mismatches === undefined ? canonicalEncoded(type.type, given, walk, nested) : ownRead(type.type, given, walk);
		case 'struct':
			if (given === null || given === undefined) return emptyStruct(type.plan());
			if (!isFields(given)) throw typeMismatch(given, walk, goType(type));
			return struct(type.plan(), given, walk);
	}
}

function isFields(given: unknown): given is Json {
	return typeof given === 'object' && !Array.isArray(given) && !(given instanceof FloatLiteral);
}

/** Readers of their own end the whole. */
function ownRead(type: EncodedType, given: unknown, walk: Walk): unknown {
	try {
		return canonicalEncoded(type, given, walk, nested);
	} catch (error) {
		if (error instanceof AppError && type.encoding !== 'items') throw new DecodeError(error.message, true);
		throw error;
	}
}

const nested = (type: ValuePlan, given: unknown, walk: Walk): unknown => element(type, given, walk);
