/** Whole numbers in texts, as Go's strconv reads them and words what it does not take. Pure. */
import { goQuote } from './go-quote.ts';

const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT16 = 0xffff;
const MAX_UINT64 = 2n ** 64n - 1n;

/** What is wrong with an int64 in decimal digits; undefined for one. */
export function int64Error(text: string): string | undefined {
	if (!/^[+-]?\d+$/.test(text)) return wrong('ParseInt', text, 'invalid syntax');
	const value = BigInt(text.replace(/^\+/, ''));
	return value > MAX_INT64 || value < -MAX_INT64 - 1n ? wrong('ParseInt', text, 'value out of range') : undefined;
}

/** What is wrong with a uint64 in decimal digits; undefined for one. */
export function uint64Error(text: string): string | undefined {
	if (!/^\d+$/.test(text)) return wrong('ParseUint', text, 'invalid syntax');
	return BigInt(text) > MAX_UINT64 ? wrong('ParseUint', text, 'value out of range') : undefined;
}

/** What is wrong with a uint16 in decimal digits; undefined for one. */
export function uint16Error(text: string): string | undefined {
	return uint64Error(text) ?? (Number(text) > MAX_UINT16 ? wrong('ParseUint', text, 'value out of range') : undefined);
}

const wrong = (reader: string, text: string, why: string): string => `strconv.${reader}: parsing ${goQuote(text)}: ${why}`;
