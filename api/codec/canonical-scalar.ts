/** Scalars of JSON checked against their Go type. */
import type { Scalar } from '../schema.ts';
import { DecodeError, typeMismatch } from './mismatch.ts';
import type { Walk } from './walk.ts';

const INT32_MAX = 2 ** 31 - 1;

export function canonicalScalar(scalar: Scalar, given: unknown, walk: Walk, inMap = false): unknown {
	switch (scalar) {
		case 'string':
			if (typeof given !== 'string') throw typeMismatch(given, walk, 'string', inMap);
			return given;
		case 'bool':
			if (typeof given !== 'boolean') throw typeMismatch(given, walk, 'bool', inMap);
			return given;
		case 'int32':
			if (typeof given !== 'number' || !Number.isInteger(given) || given > INT32_MAX || given < -INT32_MAX - 1)
				throw typeMismatch(given, walk, 'int32', inMap);
			return given;
		case 'int64':
			if (typeof given === 'bigint' && BigInt.asIntN(64, given) === given) return given;
			// A number beyond what a double holds exactly was not written as digits: Go takes no exponent or fraction for an integer.
			if (typeof given !== 'number' || !Number.isSafeInteger(given)) throw typeMismatch(given, walk, 'int64', inMap);
			return given;
		case 'float64':
			if (typeof given !== 'number') throw typeMismatch(given, walk, 'float64', inMap);
			return given;
		case 'bytes':
			if (typeof given !== 'string') throw typeMismatch(given, walk, '[]uint8', inMap);
			return base64(given);
		case 'any':
			return given;
	}
}

export function zeroOf(scalar: Scalar): unknown {
	return scalar === 'string' ? '' : scalar === 'bool' ? false : scalar === 'bytes' || scalar === 'any' ? null : 0;
}

function base64(text: string): string {
	const plain = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text;
	const bad = /[^A-Za-z0-9+/=]/.exec(plain);
	if (bad !== null) throw new DecodeError(`illegal base64 data at input byte ${bad.index}`);
	if (plain.length % 4 !== 0) throw new DecodeError(`illegal base64 data at input byte ${Math.floor(plain.length / 4) * 4}`);
	return plain;
}
