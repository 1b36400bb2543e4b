/** What a definition says of a custom resource where built-in kinds have the contract: how it is read, checked, stored, converted and shown. */
import type { ObjectShape } from '../../../api/apply/shape.ts';
import type { Decoding } from '../../../api/codec/codec.ts';
import type { FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/resource.ts';
import type { Schema } from '../../../api/structural/schema.ts';
import type { Encoded } from '../../storage/store.ts';

/** How objects stand in the store, where that may be another version and without the defaults of today. */
export interface StoredForm {
	/** Converts what cannot be read at once; undefined when there is nothing to wait for. */
	ready(values: Iterable<Encoded | undefined>, signal: AbortSignal): Promise<void> | undefined;
	/** The object in this kind's version with its defaults, frozen, without resourceVersion. What needs a webhook must have been made ready. */
	read(value: Encoded): KubeObject;
	/** Whether `read` has nothing to do. */
	isRead(value: Encoded): boolean;
	/** The bytes of what `read` gives. */
	form(value: Encoded): Encoded;
	/** The object as it goes to the store. */
	write(object: KubeObject, signal: AbortSignal): Promise<Encoded>;
	/** An object of any version in this kind's, with its defaults; a new one unless it is that already. */
	convert(object: KubeObject, signal: AbortSignal): Promise<KubeObject>;
	/** Values of the selectable fields. */
	fields(value: Encoded): Readonly<Record<string, string>>;
}

export interface CustomDecoding extends Decoding {
	/** The value is what an apply patch came to. */
	readonly isApplied?: boolean;
}

export interface CustomKind extends StoredForm {
	/** A request's body. StatusError BadRequest. */
	decodeBody(bytes: Uint8Array, mediaType: string, decoding: Decoding): KubeObject;
	/** A patch's result. */
	decodeValue(value: unknown, decoding: CustomDecoding): KubeObject;
	/** Errors; `warn` hears what is good enough. */
	validateCreate(object: KubeObject, warn: (text: string) => void): readonly FieldError[];
	validateUpdate(object: KubeObject, old: KubeObject, subresource: string, warn: (text: string) => void): readonly FieldError[];
	readonly schema: Schema;
	/** What the schema does not declare stays. */
	readonly keepsUnknown: boolean;
	readonly listKind: string;
	/** Aborts when the kind is no longer served like this: its watches end. */
	readonly ended: AbortSignal;
	readonly shape: ObjectShape;
	readonly columns: readonly object[];
	cells(object: KubeObject, now: number): readonly unknown[];
	/** Warning of a version that is going. */
	readonly warning: string | undefined;
	/** The definition is going: there will be no new objects. */
	readonly isTerminating: boolean;
}
