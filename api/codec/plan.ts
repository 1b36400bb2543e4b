/** The schema of a struct as the codec walks it: plain tables without lazy parts, compiled on first use. */
import { typeNamed, type EncodedType, type FieldSchema, type Scalar, type StructType, type TypeSchema } from '../schema.ts';

export interface StructPlan {
	readonly type: StructType;
	/** The short Go name: "PodSpec". */
	readonly goName: string;
	/** In Go's order of keys. */
	readonly fields: readonly FieldPlan[];
	/** Fields and inline structs by wire number. */
	readonly byNumber: readonly (WirePlan | undefined)[];
	/** The same by ascending number. */
	readonly wire: readonly WirePlan[];
}

export type ValuePlan =
	| { readonly form: 'scalar'; readonly scalar: Scalar; readonly name: string }
	| { readonly form: 'encoded'; readonly type: EncodedType }
	/** `plan` compiles the struct when first called: types are recursive. */
	| { readonly form: 'struct'; readonly name: string; readonly plan: () => StructPlan };

export interface FieldPlan {
	readonly name: string;
	readonly shape: FieldSchema['shape'];
	readonly pointer: boolean;
	readonly omitempty: boolean;
	readonly omitzero: boolean;
	readonly value: ValuePlan;
	/** As paths name the embedded structs on the way to the field. */
	readonly embedded: readonly string[];
}

export type WirePlan =
	| { readonly number: number; readonly field: FieldPlan; readonly inline: undefined }
	| { readonly number: number; readonly field: undefined; readonly inline: StructPlan; readonly pointer: boolean };

/** Marks a name of a path that is an embedded struct's: JSON does not have it, Go's errors do. */
export const EMBEDDED = '\0';

/** Marks a name of a path that is a key of a map: Go's errors do not have it. */
export const MAP_KEY = '\u0001';

const plans = new WeakMap<StructType, StructPlan>();

export function planOf(type: StructType): StructPlan {
	let plan = plans.get(type);
	if (plan === undefined) {
		plan = compile(type);
		plans.set(type, plan);
	}
	return plan;
}

function compile(type: StructType): StructPlan {
	const byName = new Map([...type.fields].map(([name, field]) => [name, fieldPlan(field, type.embedded.get(name) ?? [])]));
	const wire = type.wire.flatMap((entry): WirePlan[] => {
		if ('inline' in entry) return [{ number: entry.number, field: undefined, inline: planOf(entry.inline), pointer: entry.pointer }];
		const field = byName.get(entry.field.name);
		return field === undefined ? [] : [{ number: entry.number, field, inline: undefined }];
	});
	const byNumber: (WirePlan | undefined)[] = [];
	for (const entry of wire) byNumber[entry.number] = entry;
	return { type, goName: type.name.slice(type.name.lastIndexOf('.') + 1), fields: [...byName.values()], byNumber, wire };
}

function fieldPlan({ name, shape, pointer, omitempty, omitzero, type }: FieldSchema, embedded: readonly string[]): FieldPlan {
	return { name, shape, pointer, omitempty, omitzero, value: valuePlan(type), embedded: embedded.map((goName) => `${EMBEDDED}${goName}`) };
}

const values = new Map<string, ValuePlan>();

/** Shared by all fields of the type. */
export function valuePlan(type: TypeSchema): ValuePlan {
	let value = values.get(type.name);
	if (value === undefined) {
		value = makeValue(type);
		values.set(type.name, value);
	}
	return value;
}

function makeValue(type: TypeSchema): ValuePlan {
	switch (type.form) {
		case 'scalar':
			return { form: 'scalar', scalar: type.scalar, name: type.name };
		case 'encoded':
			return { form: 'encoded', type };
		case 'struct': {
			let plan: StructPlan | undefined;
			const { name } = type;
			return { form: 'struct', name, plan: () => (plan ??= planOf(typeNamed(name) as StructType)) };
		}
	}
}
