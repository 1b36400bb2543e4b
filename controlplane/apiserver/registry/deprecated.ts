/** Warnings of kinds that upstream has deprecated. */
import type { Kind } from './kinds.ts';

const DEPRECATED: Readonly<Record<string, string>> = {
	'/Endpoints': 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
	'/ComponentStatus': 'v1 ComponentStatus is deprecated in v1.19+',
};

export function warnDeprecated({ resource: { group, kind } }: Kind, warn: (text: string) => void): void {
	const text = DEPRECATED[`${group}/${kind}`];
	if (text !== undefined) warn(text);
}
