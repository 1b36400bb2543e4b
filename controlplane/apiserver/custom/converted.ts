/** What a conversion webhook may give back: the object in the version that was asked for, its metadata as it was but for labels and annotations. Pure. */
import { jsonKind } from '../../../api/codec/mismatch.ts';
import type { FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { isObject } from '../../../api/structural/schema.ts';
import { annotations, labels } from '../../../api/validation/metadata.ts';
import { goType } from '../../../api/go-values.ts';

export type Checked =
	| { readonly objects: readonly KubeObject[] }
	/** `isWhole`: upstream says nothing before it. */
	| { readonly fault: string; readonly isWhole?: boolean };

/** @param given from the answer, as many as were sent. Of one object alone it is told a little otherwise. */
export function checkConverted(given: readonly unknown[], sent: readonly KubeObject[], desired: string): Checked {
	const isAlone = sent.length === 1;
	const objects: KubeObject[] = [];
	for (const [i, was] of sent.entries()) {
		const at = `returned invalid ${isAlone ? 'object' : 'converted object'} at index ${i}`;
		const object = given[i] as Record<string, unknown>;
		const unread = unreadable(object);
		if (unread !== undefined) return isAlone ? { fault: unread, isWhole: true } : { fault: `${at}: ${unread}` };
		const { apiVersion = '', kind = '' } = object as Partial<KubeObject>;
		if (apiVersion !== desired) return { fault: `${at}: invalid groupVersion (expected ${desired}, received ${apiVersion})` };
		if (kind !== was.kind) return { fault: `${at}: invalid kind (expected ${was.kind ?? ''}, received ${kind})` };
		const other = changedIdentity(object, was);
		if (other !== undefined) return { fault: `${isAlone ? 'returned invalid object' : at}: ${other}` };
		const restored = restoredMetadata(object, was);
		if (typeof restored === 'string')
			return { fault: `returned invalid metadata${isAlone ? '' : ` in object at index ${i}`}: ${restored}` };
		objects.push({ ...object, metadata: restored } as KubeObject);
	}
	return { objects };
}

/** What Go's reader says of what is no object, or none that says its kind; undefined: it can be read. */
function unreadable(given: unknown): string | undefined {
	if (given === null || given === undefined) return 'unexpected end of JSON input';
	if (!isObject(given)) return `json: cannot unmarshal ${jsonKind(given)} into Go value of type map[string]interface {}`;
	const { kind } = given;
	return typeof kind !== 'string' || kind === '' ? `Object 'Kind' is missing in '${JSON.stringify(given)}'` : undefined;
}

/** Where the metadata is none nothing is the same. */
function changedIdentity({ metadata }: Record<string, unknown>, was: KubeObject): string | undefined {
	for (const [key, word] of [
		['name', 'name'],
		['namespace', 'namespace'],
		['uid', 'UID'],
	] as const) {
		const now = isObject(metadata) ? metadata[key] : undefined;
		const [before, after] = [was.metadata[key] ?? '', typeof now === 'string' ? now : ''];
		if (before !== after) return `must have the same ${word}: ${before} != ${after}`;
	}
	return undefined;
}

/** The metadata to go on with, or what is wrong with it (upstream's restoreObjectMeta). */
function restoredMetadata(object: Record<string, unknown>, was: KubeObject): KubeObject['metadata'] | string {
	const { metadata } = object;
	if (!Object.hasOwn(object, 'metadata')) return 'missing metadata in converted object';
	if (!isObject(metadata)) return `invalid metadata of type ${goType(metadata)} in converted object`;
	const { labels: _l, annotations: _a, ...rest } = was.metadata;
	const kept: KubeObject['metadata'] = { ...rest };
	for (const field of ['labels', 'annotations'] as const) {
		const now = metadata[field];
		if (now === undefined || now === null) continue;
		const fault = fieldFault(field, now, was.metadata[field] ?? {});
		if (fault !== undefined) return fault;
		kept[field] = now as Record<string, string>;
	}
	return kept;
}

function fieldFault(field: 'labels' | 'annotations', now: unknown, before: Readonly<Record<string, string>>): string | undefined {
	if (!isObject(now)) return `invalid metadata.${field} of type ${goType(now)} in converted object`;
	for (const [key, value] of Object.entries(now))
		if (typeof value !== 'string') return `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`;
	const texts = now as Record<string, string>;
	const isSame =
		Object.keys(now).length === Object.keys(before).length && Object.entries(texts).every(([key, value]) => before[key] === value);
	if (isSame) return undefined;
	const errors: FieldError[] = [];
	if (field === 'labels') labels(errors, 'metadata.labels', texts);
	else annotations(errors, 'metadata.annotation', texts);
	const told = errors.map((error) => `${error.field}: ${error.message}`);
	return told.length < 2 ? told[0] : `[${told.join(', ')}]`;
}
