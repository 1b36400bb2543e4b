/** Errors of decoding, in the words of Go's JSON package. */
import { AppError } from '../../base/errors.ts';
import { FloatLiteral } from './float-literal.ts';
import { EMBEDDED, MAP_KEY, type FieldPlan, type ValuePlan } from './plan.ts';
import type { Walk } from './walk.ts';

const INTEGERS = new Set(['int32', 'int64', 'uint8']);

/** A body that does not fit its type. */
export class DecodeError extends AppError {
	/** Go reads no further. */
	readonly final: boolean;

	constructor(message: string, final = false) {
		super('InvalidArgument', message);
		this.final = final;
	}
}

/** Go names the field by fields alone: no indexes, no keys of maps. */
export function typeMismatch(value: unknown, { path, struct }: Walk, goTypeName: string): DecodeError {
	const integer = jsonKind(value) === 'number' && INTEGERS.has(goTypeName);
	const what = integer ? `number ${value instanceof FloatLiteral ? value.text : String(value)}` : jsonKind(value);
	const keys = path
		.filter((part): part is string => typeof part === 'string' && !part.startsWith(MAP_KEY))
		.map((part) => (part.startsWith(EMBEDDED) ? part.slice(EMBEDDED.length) : part));
	return new DecodeError(`json: cannot unmarshal ${what} into Go struct field ${struct}.${keys.join('.')} of type ${goTypeName}`);
}

/** What Go calls a JSON value. */
export function jsonKind(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'array';
	if (typeof value === 'boolean') return 'bool';
	return typeof value === 'bigint' || value instanceof FloatLiteral ? 'number' : typeof value;
}

/** Types of maps and lists that have a name, or keys of a named type: by the struct and the field. */
const NAMED: Readonly<Record<string, string>> = {
	'JSONSchemaProps.x-kubernetes-validations': 'v1.ValidationRules',
	'JSONSchemaProps.definitions': 'v1.JSONSchemaDefinitions',
	'JSONSchemaProps.dependencies': 'v1.JSONSchemaDependencies',
	'Device.attributes': 'map[v1.QualifiedName]v1.DeviceAttribute',
	'Device.capacity': 'map[v1.QualifiedName]v1.DeviceCapacity',
	'Device.nodeAllocatableResourceMappings': 'map[v1.ResourceName]v1.NodeAllocatableResourceMapping',
	'CapacityRequirements.requests': 'map[v1.QualifiedName]resource.Quantity',
	'DeviceRequestAllocationResult.consumedCapacity': 'map[v1.QualifiedName]resource.Quantity',
	'PersistentVolumeClaimStatus.allocatedResourceStatuses': 'map[v1.ResourceName]v1.ClaimResourceStatus',
};

/** The Go name of a field's type that is a list or a map. */
export function goCollection({ name, shape, value }: FieldPlan, struct: string): string {
	const named = NAMED[`${struct}.${name}`];
	if (named !== undefined) return named;
	const item = goType(value);
	if (shape === 'list') return `[]${item}`;
	return item === 'resource.Quantity' ? 'v1.ResourceList' : `map[string]${item}`;
}

/** The Go name of a type as decoding errors print it: "core/v1.PodSpec" is "v1.PodSpec". */
export function goType(type: ValuePlan): string {
	if (type.form === 'scalar' && type.scalar === 'bytes') return '[]uint8';
	const name = type.form === 'encoded' ? type.type.name : type.name;
	return name.slice(name.lastIndexOf('/') + 1);
}
