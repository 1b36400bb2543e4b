/**
 * Values as Go prints its internal types in errors: JSON with Go's field names, every field there, null for what is not set. Types of meta/v1 keep
 * their versioned form, and an object's metadata stands beside its other fields. Pure.
 */
import { canonicalObject } from '../codec/canonical.ts';
import { typeNamed, type EncodedType, type FieldSchema, type StructType, type TypeSchema } from '../schema.ts';
import { inOrder } from '../structural/schema.ts';
import { sentEmpty } from '../sent-empty.ts';
import { GO_NAMES, IRREGULAR } from './irregular.ts';

type Json = Record<string, unknown>;

/** @param type the contract's name, such as "core/v1.PodSpec" */
export function internalForm(type: string, value: object | undefined): unknown {
	return formOf(typeNamed(type), value as Json | undefined);
}

interface Member {
	readonly key: string;
	/** Undefined: internal only. */
	readonly field: FieldSchema | undefined;
	readonly zero: unknown;
}

const members = new Map<string, readonly Member[]>();

function membersOf(type: StructType): readonly Member[] {
	let known = members.get(type.name);
	if (known === undefined) {
		const irregular = IRREGULAR[type.name];
		known = irregular === undefined ? [...type.fields.values()].map(regular) : irregular.split(' ').map((text) => listed(type, text));
		members.set(type.name, known);
	}
	return known;
}

const goName = (json: string): string => GO_NAMES[json] ?? json.charAt(0).toUpperCase() + json.slice(1);
const regular = (field: FieldSchema): Member => ({ key: goName(field.name), field, zero: zeroOf(field) });

function listed(type: StructType, text: string): Member {
	const [key = '', json, zero] = text.split('=');
	const field = [...type.fields.values()].find(({ name }) => (json === undefined ? goName(name) === key : name === json));
	return zero === undefined && field !== undefined ? { ...regular(field), key } : { key, field, zero: JSON.parse(zero ?? 'null') };
}

/** What Go prints for a field that is not set. */
function zeroOf({ shape, type, pointer }: FieldSchema): unknown {
	if (shape !== 'single' || pointer) return null;
	if (type.form === 'struct') return undefined;
	if (type.form === 'encoded')
		switch (type.encoding) {
			case 'quantity':
				return '0';
			case 'intOrString':
				return 0;
			default:
				return null;
		}
	switch (type.scalar) {
		case 'string':
			return '';
		case 'bool':
			return false;
		case 'bytes':
		case 'any':
			return null;
		case 'int32':
		case 'int64':
		case 'float64':
			return 0;
	}
}

function formOf(type: TypeSchema, value: Json | undefined): unknown {
	if (type.form === 'encoded') return alternative(type, value);
	if (type.form !== 'struct') return value;
	if (type.name.startsWith('meta/')) return canonicalObject(type, value ?? {}, { unknown: () => {} });
	const given = type.name === 'core/v1.PodSpec' ? withHostFields(value ?? {}) : (value ?? {});
	const out: Json = {};
	const metadata = type.fields.get('metadata');
	if (metadata?.type.name === 'meta/v1.ObjectMeta') Object.assign(out, formOf(metadata.type, given['metadata'] as Json | undefined));
	for (const { key, field, zero } of membersOf(type)) {
		if (field === undefined) {
			const inner = given[`#${key}`];
			out[key] = inner ?? zero;
		} else if (field !== metadata && type.embedded.get(field.name)?.[0] !== 'TypeMeta')
			out[key] = member(field, given[field.name] ?? sentEmpty(given, field.name), zero);
	}
	return out;
}

function member({ shape, type }: FieldSchema, value: unknown, zero: unknown): unknown {
	if (value === undefined || value === null) return zero === undefined || isStruct(zero) ? formOf(type, undefined) : zero;
	if (shape === 'list') return (value as unknown[]).map((item) => formOf(type, item as Json));
	if (shape === 'map') {
		const entries = Object.entries(value as Json).toSorted(([a], [b]) => (a < b ? -1 : 1));
		return Object.fromEntries(entries.map(([key, item]) => [key, formOf(type, item as Json)]));
	}
	return formOf(type, value as Json);
}

/** A schema, or what may stand in its place: each has a field of its own. */
function alternative({ encoding, wireFields }: EncodedType, value: unknown): unknown {
	const schema = [...wireFields.values()].find((field) => field.type.form === 'struct');
	if (encoding === 'json') return inOrder(value);
	if (schema === undefined || value === undefined || value === null) return value;
	const isSchema = typeof value === 'object' && !Array.isArray(value);
	const shown = isSchema ? formOf(schema.type, value as Json) : null;
	if (encoding === 'schemaOrBool') return { Allows: value !== false, Schema: shown };
	const list = Array.isArray(value) ? value : null;
	return encoding === 'schemaOrArray' ? { Schema: shown, JSONSchemas: list } : { Schema: shown, Property: list };
}

const isStruct = (zero: unknown): boolean => typeof zero === 'object' && zero !== null;

/** Internally these belong to the security context. "#" marks fields that only the internal type has. */
function withHostFields(spec: Json): Json {
	const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
	const moved = { '#HostNetwork': hostNetwork, '#HostPID': hostPID, '#HostIPC': hostIPC };
	const context = { ...(spec['securityContext'] as Json | undefined), ...moved };
	return { ...spec, securityContext: { ...context, '#ShareProcessNamespace': shareProcessNamespace, '#HostUsers': hostUsers } };
}
