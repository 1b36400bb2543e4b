/** How Go's reader says that it found no object, which it looks for before anything else. */
import { jsonKind } from './mismatch.ts';

export const NO_KIND = "couldn't get version/kind; json parse error: ";

export function noObject(value: unknown): string {
	const typeMeta = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
	return `${NO_KIND}json: cannot unmarshal ${jsonKind(value)} into Go value of type ${typeMeta}`;
}
