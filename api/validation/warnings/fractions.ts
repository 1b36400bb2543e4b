/** Amounts of bytes that are none: whole ones are what can be had. */
import type { PersistentVolumeClaimSpec } from '../../gen/types.ts';
import { goQuote } from '../../go-quote.ts';
import { canonicalQuantity, ceilMilli } from '../../quantity.ts';

export type Amounts = Readonly<Record<string, string | number>>;

/** @param path of the list of amounts */
export function fractionWarnings(path: string, amounts: Amounts | undefined, name: string): readonly string[] {
	const value = amounts?.[name];
	if (value === undefined || ceilMilli(value) % 1000 === 0) return [];
	return [`${path}[${name}]: fractional byte value ${goQuote(canonicalQuantity(value))} is invalid, must be an integer`];
}

export function claimWarnings(path: string, spec: PersistentVolumeClaimSpec | undefined): readonly string[] {
	return [
		...fractionWarnings(`${path}.resources.requests`, spec?.resources?.requests, 'storage'),
		...fractionWarnings(`${path}.resources.limits`, spec?.resources?.limits, 'storage'),
	];
}
