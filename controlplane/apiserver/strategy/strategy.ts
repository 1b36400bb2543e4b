/** What makes one kind different from another on its way to the store. A kind without an entry is plain: spec, perhaps status, nothing special. */
import type { KubeObject } from '../../../api/resource.ts';
import type { UserInfo } from '../contracts.ts';

/** An object while it is being prepared: free to change. */
export type Draft = KubeObject & Record<string, unknown>;

/** Who makes an object. */
export interface Writer {
	readonly user: UserInfo;
	/** Told of what is made of something deprecated. */
	readonly warn: (text: string) => void;
}

export interface Strategy {
	/** A create and a plain update leave these top-level fields to the status subresource; ['status'] where the kind has that subresource. */
	readonly status?: readonly string[];
	/** A create may bring its status along (nodes register with theirs). */
	readonly createsWithStatus?: boolean;
	/**
	 * metadata.generation starts at 1 and counts changes outside metadata and status; with 'updates' a created object has none,
	 * with 'created' nothing is counted.
	 */
	readonly generation?: boolean | 'updates' | 'created';
	/** Fields of features that are off count as a change, though they are dropped. */
	readonly countsDropped?: boolean;
	/** A list or map that is sent empty counts as a change, as nothing of it is stored. */
	readonly countsEmpty?: boolean;
	/** What of metadata counts as well, except through the status. */
	readonly generationAlso?: (object: Draft) => unknown;
	/** PUT of an absent object creates it. */
	readonly allowCreateOnUpdate?: boolean;
	/** PUT without resourceVersion overwrites; yes unless told. */
	readonly allowUnconditionalUpdate?: boolean;
	/** Selectable fields beside metadata.name and metadata.namespace. */
	readonly fields?: Readonly<Record<string, (object: Draft) => string>>;
	/** Other names of fields that entries of the kind are found by, in this version or the stored one. */
	readonly fieldAliases?: Readonly<Record<string, string>>;
	/** Kinds that know their field labels say "field label not supported" to another one, some in a text of their own. */
	readonly ownFieldLabels?: boolean | ((field: string) => string);
	/** An annotation that stands for a field of older versions: what shows metadata alone is without it. */
	readonly fieldAnnotation?: string;
	/** Right after decoding, before anyone looks at it. @param now RFC 3339 */
	readonly decoded?: (object: Draft, now: string) => void;
	/** @param now RFC 3339 */
	readonly prepareForCreate?: (object: Draft, now: string, writer: Writer) => void;
	/** @param now RFC 3339 */
	readonly prepareForUpdate?: (object: Draft, old: Draft, now: string) => void;
	/** What defaults add when the object is read from the store; after validation. */
	readonly readBack?: (object: Draft) => void;
	/** @param now RFC 3339 */
	readonly prepareForStatusUpdate?: (object: Draft, old: Draft, now: string) => void;
	/** @param now RFC 3339 */
	readonly prepareForApproval?: (object: Draft, old: Draft, now: string) => void;
	/** Ends by itself after this long. */
	readonly ttlMs?: number;
	/** Seconds to wait before the object goes; undefined: goes at once (finalizers aside). */
	readonly graceSeconds?: (object: Draft, asked: number | undefined) => number | undefined;
	/** Dependents stay unless the caller says otherwise (upstream's OrphanDependents default). */
	readonly orphansByDefault?: boolean;
	/** Garbage collection passes it by, whatever the caller says (upstream's GarbageCollectionPolicy Unsupported). */
	readonly ownsNothing?: boolean;
	/** DELETE answers the object, not a Status, when it is gone at once. */
	readonly answersDeleted?: boolean;
	/** Finalizers that the first DELETE sets: work that the server itself does before the object goes. */
	readonly deletionFinalizers?: readonly string[];
	/** Upstream marks objects of the kind as going by code of their own: that has no grace period, and is no new generation. */
	readonly marksItself?: boolean;
	/** The first DELETE of an object that something holds. @param now RFC 3339 */
	readonly markTerminating?: (object: Draft, now: string) => void;
	readonly scale?: ScalePaths;
}

export interface ScalePaths {
	/** Where the replicas stand, by version of the kind. */
	readonly paths: Readonly<Record<string, readonly string[] | undefined>>;
	readonly specReplicas: (object: Draft) => number;
	/** Where the replicas should stand in an object that has none, and so no scale to read. */
	readonly absent?: (object: Draft) => string | undefined;
	readonly setReplicas: (object: Draft, replicas: number) => void;
	readonly statusReplicas: (object: Draft) => number;
	/** The selector in its text form. */
	readonly selector: (object: Draft) => unknown;
}

/** A field by dotted path, as text; '' when absent. */
export function textAt(path: string): (object: Draft) => string {
	const names = path.split('.');
	return (object) => {
		let value: unknown = object;
		for (const name of names) value = (value as Record<string, unknown> | undefined)?.[name];
		return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
	};
}

/** Selectable fields whose label is their path. */
export function fieldsAt(...paths: readonly string[]): Readonly<Record<string, (object: Draft) => string>> {
	return Object.fromEntries(paths.map((path) => [path, textAt(path)]));
}
