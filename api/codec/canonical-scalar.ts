/** Scalars of JSON checked against their Go type. */
import { isBase64 } from '../../base/base64.ts';
import type { Scalar } from '../schema.ts';
import { FloatLiteral, withPlainNumbers } from './float-literal.ts';
import { DecodeError, goType, typeMismatch } from './mismatch.ts';
import type { ValuePlan } from './plan.ts';
import type { Walk } from './walk.ts';

const INT32_MAX = 2 ** 31 - 1;

/** `type` is what Go names in errors where it has a name of its own. */
export function canonicalScalar(scalar: Scalar, given: unknown, walk: Walk, type?: ValuePlan): unknown {
	switch (scalar) {
		case 'string':
			if (typeof given !== 'string') throw typeMismatch(given, walk, type === undefined ? scalar : goType(type));
			return given;
		case 'bool':
			if (typeof given !== 'boolean') throw typeMismatch(given, walk, type === undefined ? scalar : goType(type));
			return given;
		case 'int32':
			if (typeof given !== 'number' || !Number.isInteger(given) || given > INT32_MAX || given < -INT32_MAX - 1)
				throw typeMismatch(given, walk, 'int32');
			return given;
		case 'int64':
			if (typeof given === 'bigint' && BigInt.asIntN(64, given) === given) return given;
			// A number beyond what a double holds exactly was not written as digits: Go takes no exponent or fraction for an integer.
			if (typeof given !== 'number' || !Number.isSafeInteger(given)) throw typeMismatch(given, walk, 'int64');
			return given;
		case 'float64':
			if (given instanceof FloatLiteral) return given.value;
			if (typeof given === 'bigint') return Number(given);
			if (typeof given !== 'number') throw typeMismatch(given, walk, 'float64');
			return given;
		case 'bytes':
			if (Array.isArray(given)) return bytes(given, walk).toString('base64');
			if (typeof given !== 'string') throw typeMismatch(given, walk, '[]uint8');
			return base64(given);
		case 'any':
			return withPlainNumbers(given);
	}
}

export function zeroOf(scalar: Scalar): unknown {
	return scalar === 'string' ? '' : scalar === 'bool' ? false : scalar === 'bytes' || scalar === 'any' ? null : 0;
}

/** Go reads bytes from a list of numbers as well. */
function bytes(given: readonly unknown[], walk: Walk): Buffer {
	return Buffer.from(
		given.map((byte) => {
			if (byte === null) return 0;
			if (typeof byte !== 'number' || !Number.isInteger(byte) || byte < 0 || byte > 255) throw typeMismatch(byte, walk, 'uint8');
			return byte;
		}),
	);
}

/** Why Go's decoder does not take it; undefined: it does. */
export function base64Complaint(text: string, plain = withoutBreaks(text)): string | undefined {
	if (isBase64(plain)) return undefined;
	return `illegal base64 data at input byte ${withBreaks(text, illegalAt(plain))}`;
}

const withoutBreaks = (text: string): string => (/[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text);

/** As Go writes it again: without line breaks, and with zeros for the bits that no byte uses. */
function base64(text: string): string {
	const plain = withoutBreaks(text);
	const complaint = base64Complaint(text, plain);
	if (complaint !== undefined) throw new DecodeError(complaint);
	if (!plain.endsWith('=')) return plain;
	return plain.slice(0, -4) + Buffer.from(plain.slice(-4), 'base64').toString('base64');
}

/** The place in the text as it was sent; where the text ends too soon, that of what the last four lack, as Go counts it back from the end. */
function withBreaks(text: string, at: number): number {
	const places = [...text].flatMap((c, i) => (c === '\r' || c === '\n' ? [] : [i]));
	const isCut = at === Math.floor(places.length / 4) * 4 && !/[^A-Za-z0-9+/\r\n]/.test(text);
	return isCut ? text.length - (places.length % 4) : (places[at] ?? text.length);
}

/** Where Go's decoder stops. */
function illegalAt(plain: string): number {
	const at = plain.search(/[^A-Za-z0-9+/]/);
	if (at < 0) return Math.floor(plain.length / 4) * 4;
	const place = at % 4;
	if (plain.charAt(at) !== '=' || place < 2) return at;
	if (place === 3) return at + 1;
	if (at + 1 === plain.length) return plain.length;
	return plain.charAt(at + 1) === '=' ? at + 2 : at;
}
