/** JSON schemas of the API's types, made from the contract. Version 2 and 3 differ in how a reference stands beside other keys. */
import { ENUMS, UNDESCRIBED, ZERO_DEFAULTS } from './exceptions.ts';
import type { EncodedType, FieldSchema, StructType, TypeSchema } from '../schema.ts';

export type Json = Record<string, unknown>;
export type Flavour = 'v2' | 'v3';

/** The description of a field of a contract's type, or of the type itself (field ''). */
export type Describe = (type: string, field: string) => string | undefined;

/** Go packages of the contract's short type names. */
const PACKAGES: readonly (readonly [prefix: string, name: string])[] = [
	['meta/', 'io.k8s.apimachinery.pkg.apis.meta.'],
	['apiextensions/', 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.'],
	['apiregistration/', 'io.k8s.kube-aggregator.pkg.apis.apiregistration.'],
	['metrics/', 'io.k8s.metrics.pkg.apis.metrics.'],
	['runtime.', 'io.k8s.apimachinery.pkg.runtime.'],
	['util/intstr.', 'io.k8s.apimachinery.pkg.util.intstr.'],
	['api/resource.', 'io.k8s.apimachinery.pkg.api.resource.'],
	['version.', 'io.k8s.apimachinery.pkg.version.'],
	['types.', 'io.k8s.apimachinery.pkg.types.'],
];

/** "core/v1.Pod" -> "io.k8s.api.core.v1.Pod" */
function openApiName(name: string): string {
	const found = PACKAGES.find(([prefix]) => name.startsWith(prefix));
	return found === undefined ? `io.k8s.api.${name.replace('/', '.')}` : found[1] + name.slice(found[0].length);
}

export function refTo(name: string, flavour: Flavour): Json {
	return { $ref: `${flavour === 'v2' ? '#/definitions/' : '#/components/schemas/'}${name}` };
}

/** Kinds that every group version serves: options and watch events. */
const EVERYWHERE = new Set(['meta/v1.DeleteOptions', 'meta/v1.WatchEvent']);

/** Group versions that a document names where every one serves a kind. */
export type NamedVersions = readonly { readonly group: string; readonly version: string }[];

/** Gathers schemas by name, and those that they refer to. */
export class Schemas {
	readonly #flavour: Flavour;
	readonly #found = new Map<string, Json>();
	readonly #versions: NamedVersions;
	readonly #describe: Describe;

	constructor(flavour: Flavour, versions: NamedVersions, describe: Describe) {
		this.#flavour = flavour;
		this.#describe = describe;
		this.#versions = versions;
	}

	/** By name, sorted. */
	all(): Json {
		return Object.fromEntries([...this.#found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
	}

	/** A reference to the type, which is added. */
	ref(type: TypeSchema): Json {
		return this.refNamed(type, openApiName(type.name));
	}

	refNamed(type: TypeSchema, name: string): Json {
		if (!this.#found.has(name)) {
			this.#found.set(name, {});
			this.#found.set(name, type.form === 'struct' ? this.#struct(type) : type.form === 'encoded' ? encoded(type, this.#flavour) : {});
		}
		return refTo(name, this.#flavour);
	}

	/** The body of a PATCH. */
	patch(): Json {
		const description = 'Patch is provided to give a concrete name and type to the Kubernetes PATCH request body.';
		return this.add('io.k8s.apimachinery.pkg.apis.meta.v1.Patch', { description, type: 'object' });
	}

	/** A schema that the contract has no type for. */
	add(name: string, schema: Json): Json {
		this.#found.set(name, schema);
		return refTo(name, this.#flavour);
	}

	#struct(type: StructType): Json {
		const properties: Json = {};
		for (const [name, field] of [...type.fields].toSorted(([a], [b]) => (a < b ? -1 : 1)))
			properties[name] = this.#beside({ ...said(this.#describedBy(type.name, name, field)), ...this.#field(type.name, field) });
		const gvks = EVERYWHERE.has(type.name)
			? this.#versions.map(({ group, version }) => ({ group, version, kind: type.name.slice('meta/v1.'.length) }))
			: type.gvk.map(([group, version, kind]) => ({ group, version, kind }));
		return {
			...said(this.#describe(type.name, '')),
			type: 'object',
			...(type.fields.size === 0 ? {} : { properties }),
			...(type.required.size === 0 ? {} : { required: [...type.fields.keys()].filter((name) => type.required.has(name)) }),
			...(type.mapType === undefined ? {} : { 'x-kubernetes-map-type': type.mapType }),
			...(type.unions === undefined ? {} : { 'x-kubernetes-unions': (type.unions as Union[]).map(unionJson) }),
			...(gvks.length === 0 ? {} : { 'x-kubernetes-group-version-kind': gvks }),
		};
	}

	/** A field without a description of its own shows its type's. */
	#describedBy(type: string, name: string, field: FieldSchema): string | undefined {
		if (UNDESCRIBED.has(`${type}.${name}`)) return undefined;
		const own = this.#describe(type, name);
		if (own !== undefined || field.type.form === 'scalar') return own;
		return this.#describe(field.type.name, '');
	}

	/** Version 3 takes no key beside a reference. */
	#beside(property: Json): Json {
		const { $ref, ...others } = property;
		if (this.#flavour === 'v2' || $ref === undefined || Object.keys(others).length === 0) return property;
		return { ...others, allOf: [{ $ref }] };
	}

	#field(type: string, field: FieldSchema): Json {
		const markers = {
			...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
			...(field.listMapKeys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': field.listMapKeys }),
			...(field.mapType === undefined ? {} : { 'x-kubernetes-map-type': field.mapType }),
			...(field.patchStrategy.length === 0 ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategy.join(',') }),
			...(field.patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
		};
		if (field.shape === 'list') {
			const bytes =
				field.type.form === 'scalar' && field.type.scalar === 'bytes'
					? scalarJson('bytes')
					: this.#value(field.type, this.#zero(field.type));
			return { type: 'array', items: bytes, ...markers };
		}
		if (field.shape === 'map') {
			const values = ENUMS[field.type.name];
			const value = { ...this.#value(field.type, this.#zero(field.type)), ...(values === undefined ? {} : { enum: values }) };
			return { type: 'object', additionalProperties: value, ...markers };
		}
		const fallback =
			field.default ??
			(ZERO_DEFAULTS.has(`${type}.${field.name}`) ? this.#zero(field.type) : undefined) ??
			(field.pointer || (field.omitempty && field.type.form !== 'struct') ? undefined : this.#zero(field.type));
		return { ...this.#value(field.type, this.#flavour === 'v3' ? fallback : undefined), ...markers };
	}

	/** OpenAPI v3 prints the zero value as default of what is always written. */
	#zero(type: TypeSchema): unknown {
		if (this.#flavour === 'v2') return undefined;
		if (type.form === 'struct') return {};
		if (type.form === 'scalar')
			return type.scalar === 'string'
				? ''
				: type.scalar === 'bool'
					? false
					: type.scalar === 'any' || type.scalar === 'bytes'
						? undefined
						: 0;
		return undefined;
	}

	#value(type: TypeSchema, fallback: unknown): Json {
		const extra = fallback === undefined ? {} : { default: fallback };
		if (type.form === 'scalar') return { ...scalarJson(type.scalar), ...(type.enum === undefined ? {} : { enum: type.enum }), ...extra };
		if (type.form === 'encoded' && type.encoding === 'items') {
			const empty = this.#flavour === 'v2' ? {} : { default: '' };
			return { type: 'array', items: { ...scalarJson('string'), ...empty } };
		}
		const ref = this.ref(type);
		if (this.#flavour === 'v2' || fallback === undefined) return ref;
		return { allOf: [ref], ...extra };
	}
}

/** A scalar's type and format. */
export function scalarJson(name: string): Json {
	switch (name) {
		case 'string':
			return { type: 'string' };
		case 'bytes':
			return { type: 'string', format: 'byte' };
		case 'bool':
			return { type: 'boolean' };
		case 'int32':
		case 'int64':
			return { type: 'integer', format: name };
		case 'float64':
			return { type: 'number', format: 'double' };
		default:
			return {};
	}
}

function said(description: string | undefined): Json {
	return description === undefined ? {} : { description };
}

/** As the contract has it. */
interface Union {
	readonly discriminator?: string;
	readonly fields: Readonly<Record<string, string>>;
}

function unionJson({ discriminator, fields }: Union): Json {
	return { ...(discriminator === undefined ? {} : { discriminator }), 'fields-to-discriminateBy': fields };
}

function encoded({ encoding }: EncodedType, flavour: Flavour): Json {
	switch (encoding) {
		case 'time':
		case 'microTime':
			return { type: 'string', format: 'date-time' };
		case 'intOrString':
			return { format: 'int-or-string', ...either(flavour, 'integer', 'string') };
		case 'quantity':
			return either(flavour, 'string', 'number');
		case 'duration':
		case 'groupVersion':
			return { type: 'string' };
		case 'rawExtension':
		case 'fieldsV1':
			return { type: 'object' };
		case 'items':
		case 'json':
		case 'schemaOrBool':
		case 'schemaOrArray':
		case 'schemaOrStringArray':
		case 'unknown':
			return {};
	}
}

/** Version 2 knows one type. */
function either(flavour: Flavour, ...types: readonly string[]): Json {
	return flavour === 'v2' ? { type: 'string' } : { oneOf: types.map((type) => ({ type })) };
}
