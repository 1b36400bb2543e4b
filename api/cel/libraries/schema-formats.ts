/** Texts of the formats of OpenAPI as upstream reads them into values of CEL (kube-openapi strfmt, apiserver/pkg/cel/common). */
import { messageOf } from '../../../base/errors.ts';
import { base64Complaint } from '../../codec/canonical-scalar.ts';
import { readDate, readLocalTime, readTime, type ReadTime } from '../../time-parse.ts';
import { EvalError } from '../errors.ts';
import { Duration, Timestamp } from '../values.ts';
import { parseDuration } from './time-text.ts';

const HOUR = 3_600_000_000_000n;
/** Names of units; anything may follow the last one of each. */
const UNITS: readonly (readonly [names: readonly string[], nanos: bigint])[] = [
	[['ns', 'nano'], 1n],
	[['us', 'µs', 'micro'], 1_000n],
	[['ms', 'milli'], 1_000_000n],
	[['s', 'sec'], 1_000_000_000n],
	[['m', 'min'], 60_000_000_000n],
	[['h', 'hr', 'hour'], HOUR],
	[['d', 'day'], 24n * HOUR],
	[['w', 'wk', 'week'], 168n * HOUR],
];
const NAMED = /(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g;
const MAX_INT = 2n ** 63n - 1n;

/** "1h30m", "1 day", "3 hours 2 min": one number with a known unit is enough. What is too long wraps around. Undefined: no duration. */
export function namedDuration(text: string): bigint | undefined {
	const plain = parseDuration(text);
	if (plain !== undefined) return plain;
	let total: bigint | undefined;
	for (const [, digits = '', word = ''] of text.matchAll(NAMED)) {
		const factor = BigInt(digits);
		if (factor > MAX_INT) return undefined;
		const unit = word.toLowerCase();
		for (const [names, nanos] of UNITS)
			if (names.includes(unit) || unit.startsWith(names.at(-1) as string)) total = (total ?? 0n) + factor * nanos;
	}
	return total === undefined ? undefined : BigInt.asIntN(64, total);
}

/** EvalError in upstream's words. */
export function durationOf(text: string): Duration {
	const nanos = namedDuration(text);
	if (nanos === undefined) throw new EvalError(`Invalid duration ${text}: unable to parse ${text} as duration`);
	return new Duration(nanos);
}

/** Base64 for URLs, padded: what the same values are validated by is the plain one. EvalError in upstream's words. */
export function bytesOf(text: string): Buffer {
	const complaint = base64Complaint(text.replaceAll(/[-_+/]/g, (digit) => PLAIN_DIGITS[digit] ?? '!'));
	if (complaint !== undefined) throw new EvalError(`Invalid byte formatted string ${text}: ${complaint}`);
	return Buffer.from(text, 'base64url');
}

const PLAIN_DIGITS: Readonly<Record<string, string>> = { '-': '+', _: '/' };

/** A time, with its zone or without, as strictly as Go reads it: "T" and "Z" alone, though a point may be a comma. EvalError in upstream's words. */
export function timeOf(text: string): Timestamp {
	if (text === '') return new Timestamp(0n);
	return timestampOf('date-time', text, (time) => {
		try {
			return readTime(time);
		} catch {
			// Of several layouts, the last one tells.
			return readLocalTime(time);
		}
	});
}

/** A day alone. EvalError in upstream's words. */
export function dateOf(text: string): Timestamp {
	return timestampOf('date', text, readDate);
}

function timestampOf(format: string, text: string, read: (text: string) => ReadTime): Timestamp {
	try {
		const { ms, fraction, offset } = read(text);
		return new Timestamp(BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9)), offset);
	} catch (error) {
		throw new EvalError(`Invalid ${format} formatted string ${text}: ${messageOf(error)}`);
	}
}
