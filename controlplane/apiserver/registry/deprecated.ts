/** Warnings of kinds that upstream has deprecated. */
import type { Kind } from './kinds.ts';

/** By kind, all of the core group. */
const DEPRECATED: Readonly<Record<string, string>> = {
	Endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
	ComponentStatus: 'v1 ComponentStatus is deprecated in v1.19+',
};

/** Whether it is one of them. */
export function warnDeprecated({ custom, resource: { group, kind } }: Kind, warn: (text: string) => void): boolean {
	const text = custom !== undefined ? custom.warning : group === '' ? DEPRECATED[kind] : undefined;
	if (text !== undefined) warn(text);
	return text !== undefined;
}
