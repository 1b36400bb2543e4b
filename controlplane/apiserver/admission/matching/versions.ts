/** The versions in which the objects of a request exist, for rules that name another one than was asked for (matchPolicy Equivalent). */
import { decodeObject, type Decoding } from '../../../../api/codec/codec.ts';
import type { KindName } from '../../../../api/kind-name.ts';
import type { KubeObject } from '../../../../api/resource.ts';
import { timeOf } from '../../../../api/time.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { AdmissionAttributes } from '../../contracts.ts';
import type { Kind } from '../../registry/kinds.ts';
import type { Kinds } from '../../registry/kinds.ts';
import type { Draft } from '../../strategy/strategy.ts';
import type { Asked } from './rules.ts';

/** Its errors do not say what they are about. */
const JSON_PATCH = { strict: [], unstructured: false } as const;

/** A resource with its kind, as AdmissionReviews name both. */
export interface Named extends Asked {
	readonly kind: string;
	/** Those of the resource unless told. */
	readonly kindGroup?: string | undefined;
	readonly kindVersion?: string | undefined;
}

/** The kind of what is written. */
export function kindNameOf({ group, version, kind, kindGroup = group, kindVersion = version }: Named): KindName {
	return { group: kindGroup, version: kindVersion, kind };
}

/** The objects of a write in the version a webhook or policy wants. */
export interface Versioned {
	readonly named: Named;
	readonly object: KubeObject | undefined;
	readonly oldObject: KubeObject | undefined;
}

/** What the client asked for. */
export function requestedOf(attributes: AdmissionAttributes): Named {
	const { group, version, kind, kindGroup, kindVersion, resource } = attributes;
	return attributes.requested ?? { group, version, kind, kindGroup, kindVersion, resource };
}

export class Versions {
	readonly #kinds: Kinds;
	readonly #clock: Clock;

	constructor(kinds: Kinds, clock: Clock) {
		this.#kinds = kinds;
		this.#clock = clock;
	}

	/** The other versions and groups under which the same objects are served. */
	equivalents(asked: Asked): readonly Named[] {
		const own = this.#kinds.byPath(asked.group, asked.version, asked.resource);
		if (own === undefined) return [];
		const stored = (kind: Kind): Kind => kind.conversion?.stored ?? kind;
		return [...this.#kinds.all()]
			.filter((kind) => kind !== own && stored(kind).prefix === stored(own).prefix)
			.map(({ resource: { group, version, kind, plural } }) => ({ group, version, kind, resource: plural }));
	}

	async versioned(named: Named, { object, oldObject }: AdmissionAttributes, signal: AbortSignal): Promise<Versioned> {
		const of = async (one: KubeObject | undefined): Promise<KubeObject | undefined> =>
			one === undefined ? undefined : this.#to(named, one, signal);
		return { named, object: await of(object), oldObject: await of(oldObject) };
	}

	/** The write's own objects are in the stored version; custom ones in the version that was asked for. */
	async #to(named: Named, object: KubeObject, signal: AbortSignal): Promise<KubeObject> {
		const kind = this.#kinds.byPath(named.group, named.version, named.resource);
		// What a subresource has of its own (a Scale, options of a connection) is as it is.
		if (kind === undefined || (object.kind ?? kind.resource.kind) !== kind.resource.kind) return object;
		if (kind.custom !== undefined) return kind.custom.convert(object, signal);
		return kind.conversion === undefined ? object : kind.conversion.fromStored(object);
	}

	/** Something a client made of it, decoded, defaulted and brought back to where the write has it. */
	async from(
		named: Named,
		changed: unknown,
		attributes: AdmissionAttributes,
		signal: AbortSignal,
		{ strictness = 'Ignore', patch = JSON_PATCH }: Partial<Pick<Decoding, 'strictness' | 'patch'>> = {},
	): Promise<KubeObject> {
		const { group, version, kind, resource } = named;
		const found = this.#kinds.byPath(group, version, resource);
		// Of a subresource it may be something else that is written.
		const served = found?.resource.kind === kind ? found : undefined;
		const decoded = decodeObject(changed, kindNameOf(named), { strictness, warn: () => {}, patch }) as unknown as KubeObject;
		served?.strategy.decoded?.(decoded as Draft, timeOf(this.#clock.now()));
		if (served?.custom !== undefined) {
			const { group: ownGroup, version: ownVersion, resource: ownResource } = requestedOf(attributes);
			return this.#kinds.byPath(ownGroup, ownVersion, ownResource)?.custom?.convert(decoded, signal) ?? decoded;
		}
		return served?.conversion === undefined ? decoded : served.conversion.toStored(decoded);
	}
}
