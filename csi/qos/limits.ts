/** Limits of input and output, as the mutable parameters say them. Pure. */
import { AppError } from '../../base/errors.ts';
import { NO_LIMITS, type IoLimits } from '../../host/io-groups.ts';
import { parseBytes } from '../size.ts';

export const LIMIT_NAMES = Object.keys(NO_LIMITS) as readonly (keyof IoLimits)[];

/** The kernel keeps 32 bits. */
const COUNT = /^[1-9]\d{0,8}$/;

export function hasLimits(limits: IoLimits): boolean {
	return LIMIT_NAMES.some((name) => limits[name] !== undefined);
}

/** `max` is no limit, and lifts one. Throws InvalidArgument. */
export function readLimits(given: Readonly<Record<string, string>>): IoLimits {
	const read = (name: keyof IoLimits, parse: (name: string, value: string) => number): number | undefined => {
		const { [name]: value = 'max' } = given;
		return value === 'max' ? undefined : parse(name, value);
	};
	return {
		readBytesPerSecond: read('readBytesPerSecond', bytes),
		writeBytesPerSecond: read('writeBytesPerSecond', bytes),
		readIops: read('readIops', count),
		writeIops: read('writeIops', count),
	};
}

function bytes(name: string, value: string): number {
	const limit = parseBytes(value);
	if (limit === undefined || limit === 0) throw wrong(name, 'bytes a second, or a number of Ki, Mi, Gi or Ti, or max', value);
	// Not exact any more, and from 1e21 on text with an exponent, of which the kernel would read the first digit.
	if (!Number.isSafeInteger(limit)) throw wrong(name, `at most ${Number.MAX_SAFE_INTEGER} bytes a second, or max`, value);
	return limit;
}

function count(name: string, value: string): number {
	if (!COUNT.test(value)) throw wrong(name, 'a number of operations a second, or max', value);
	return Number(value);
}

function wrong(name: string, wanted: string, value: string): AppError {
	return new AppError('InvalidArgument', `Mutable parameter ${name} is ${wanted}, not "${value}"`);
}
