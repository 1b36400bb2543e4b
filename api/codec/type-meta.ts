/** What Go's reader looks for before anything else: an object, whose apiVersion and kind are texts that can be read. */
import { jsonKind } from './mismatch.ts';

export const NO_KIND = "couldn't get version/kind; json parse error: ";

/** What it says of the value; undefined where there is nothing wrong. */
export function typeMetaFault(value: unknown): string | undefined {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		const typeMeta = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
		return `${NO_KIND}json: cannot unmarshal ${jsonKind(value)} into Go value of type ${typeMeta}`;
	}
	for (const [key, found] of Object.entries(value) as [string, unknown][])
		if ((key === 'apiVersion' || key === 'kind') && found !== undefined && found !== null && typeof found !== 'string')
			return `${NO_KIND}json: cannot unmarshal ${jsonKind(found)} into Go struct field .${key} of type string`;
	const { apiVersion } = value as { readonly apiVersion?: string | null };
	const isOther = apiVersion !== undefined && apiVersion !== null && apiVersion.split('/').length > 2;
	return isOther ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}
