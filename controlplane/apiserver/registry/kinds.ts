/** The kinds served: each with its strategy, its place in the store and its encoding. Custom resources are added while running. */
import { apiVersionOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { canonicalObject } from '../../../api/codec/canonical.ts';
import { schemaOfKind } from '../../../api/schema.ts';
import { encode, encodeCanonical, headOf, type Facts } from '../answer/canonical.ts';
import type { Made } from '../answer/parsed.ts';
import { STRATEGIES } from '../strategy/strategies.ts';
import type { Draft, Strategy } from '../strategy/strategy.ts';
import type { CustomKind } from './custom-kind.ts';

export interface Kind {
	readonly resource: Resource;
	readonly apiVersion: string;
	readonly strategy: Strategy;
	/** "/core/pods/": where its objects live. Versions of one kind share it. */
	readonly prefix: string;
	/** Length of the canonical bytes' kind and apiVersion, left out in lists. */
	readonly headLength: number;
	/** Present when the stored version is another one. */
	readonly conversion: Conversion | undefined;
	/** Set for custom resources. */
	readonly custom?: CustomKind | undefined;
	encode(object: KubeObject): Made;
}

/** Between the version that is served and the one that is stored. */
export interface Converter {
	readonly toStored: (object: KubeObject) => KubeObject;
	readonly fromStored: (object: KubeObject) => KubeObject;
}

interface Conversion extends Converter {
	readonly stored: Kind;
}

const PLAIN: Strategy = {};
const AS_STORED = { unknown: (): void => {}, dropsEmpty: true };

export function makeKind(resource: Resource, strategy?: Strategy): Kind {
	const { group, kind, plural } = resource;
	const chosen = strategy ?? STRATEGIES[`${group}/${kind}`] ?? PLAIN;
	const apiVersion = apiVersionOf(resource);
	const type = schemaOfKind(group, resource.version, kind);
	const head = headOf(kind, apiVersion);
	return {
		resource,
		apiVersion,
		strategy: chosen,
		prefix: `/${group === '' ? 'core' : group}/${plural}/`,
		headLength: head.length,
		conversion: undefined,
		encode: (given) => {
			const facts = (object: KubeObject): Facts => ({
				labels: { ...object.metadata.labels },
				fields: fieldsOf(chosen, resource, object as Draft),
			});
			if (type === undefined) return encode(given, facts(given));
			const object = canonicalObject(type, given as unknown as Record<string, unknown>, AS_STORED) as unknown as KubeObject;
			return { ...encodeCanonical(object, facts(object), head), object };
		},
	};
}

function fieldsOf(strategy: Strategy, resource: Resource, object: Draft): Readonly<Record<string, string>> {
	const fields: Record<string, string> = { 'metadata.name': object.metadata.name ?? '' };
	if (resource.namespaced) fields['metadata.namespace'] = object.metadata.namespace ?? '';
	for (const [label, read] of Object.entries(strategy.fields ?? {})) fields[label] = read(object);
	return fields;
}

export function storeKey(kind: Kind, namespace: string, name: string): string {
	return kind.resource.namespaced ? `${kind.prefix}${namespace}/${name}` : kind.prefix + name;
}

/** Prefix of a collection; every namespace when it is ''. */
export function collectionPrefix(kind: Kind, namespace: string): string {
	return kind.resource.namespaced && namespace !== '' ? `${kind.prefix}${namespace}/` : kind.prefix;
}

/** Finds kinds by path and by type. */
export class Kinds {
	/** By plural, whose few bearers differ in group or version: a request is found without making a key for it. */
	readonly #byPlural = new Map<string, readonly Kind[]>();

	/** Not served, and known to those who hold their resource. */
	readonly #unserved = new WeakMap<Resource, Kind>();

	#revision = 0;

	/** Counts changes: what is made from all kinds is made again when it differs. */
	get revision(): number {
		return this.#revision;
	}

	add(kind: Kind): void {
		this.remove(kind);
		const { plural } = kind.resource;
		this.#byPlural.set(plural, [...(this.#byPlural.get(plural) ?? []), kind]);
	}

	/** Whatever is served at the kind's path. */
	remove({ resource: { group, version, plural } }: Kind): void {
		const others = this.#byPlural.get(plural)?.filter((k) => k.resource.group !== group || k.resource.version !== version) ?? [];
		this.#revision++;
		if (others.length === 0) this.#byPlural.delete(plural);
		else this.#byPlural.set(plural, others);
	}

	byPath(group: string, version: string, plural: string): Kind | undefined {
		const same = this.#byPlural.get(plural);
		if (same !== undefined) for (const kind of same) if (kind.resource.group === group && kind.resource.version === version) return kind;
		return undefined;
	}

	/** Found by its own resource alone, which nobody asks for by its path. */
	keepUnserved(kind: Kind): void {
		this.#unserved.set(kind.resource, kind);
	}

	of(resource: Resource): Kind {
		const kind = this.byPath(resource.group, resource.version, resource.plural) ?? this.#unserved.get(resource);
		if (kind === undefined) throw new TypeError(`The kind ${resource.kind} (${apiVersionOf(resource)}) is not served`);
		return kind;
	}

	*all(): IterableIterator<Kind> {
		for (const same of this.#byPlural.values()) yield* same;
	}
}
