/** Between the store and the version asked for: objects of built-in kinds are what is stored, custom resources may have to be converted. */
import type { KubeObject } from '../../../api/resource.ts';
import type { Entry } from '../../storage/store.ts';
import type { Made, Parsed } from '../answer/parsed.ts';
import type { Kind } from './kinds.ts';

/** The entry's object, frozen, with its resourceVersion. */
export function storedObject<T extends KubeObject>(parsed: Parsed, kind: Kind, entry: Entry): T {
	if (kind.custom === undefined) return parsed.of<T>(entry);
	const object = kind.custom.read(entry.value);
	return { ...object, metadata: { ...object.metadata, resourceVersion: String(entry.revision) } } as T;
}

/** The same, once it can be read. */
export async function liveObject<T extends KubeObject>(parsed: Parsed, kind: Kind, entry: Entry, signal: AbortSignal): Promise<T> {
	await kind.custom?.ready([entry.value], signal);
	return storedObject<T>(parsed, kind, entry);
}

/** What goes to the store. */
export async function encodedFor(kind: Kind, object: KubeObject, signal: AbortSignal): Promise<Made> {
	return kind.custom === undefined ? kind.encode(object) : kind.custom.write(object, signal);
}
