/** Conversions of the standard library: int(), uint(), double(), string(), bytes(), bool(), type(), dyn(), duration(), timestamp(); and size(). */
import { goFloat } from '../../go-float.ts';
import { goBool } from '../../go-bool.ts';
import { EvalError } from '../errors.ts';
import { overload, type Overload } from '../functions.ts';
import { estimates } from '../ranges.ts';
import { Duration, lengthOf, sizeOf, TypeValue, typeNameOf, Uint, type Timestamp, type Value } from '../values.ts';
import { sized, TRAVERSAL, traversal } from './costs.ts';
import { formatDuration, formatTimestamp, parseDuration, timestampOf, checkedTimestamp } from './time-text.ts';

const RANGE = 'integer overflow';

function intOf(value: bigint): bigint {
	if (value < -(2n ** 63n) || value >= 2n ** 63n) throw new EvalError(RANGE);
	return value;
}

function uintOf(value: bigint): Uint {
	if (value < 0n || value >= 2n ** 64n) throw new EvalError('unsigned integer overflow');
	return new Uint(value);
}

function truncated(value: number, min: number, max: number, what: string): bigint {
	if (!(value > min && value < max)) throw new EvalError(what);
	return BigInt(Math.trunc(value));
}

/** What cel-go says of a text that is no such value, whatever is wrong with it. */
function unconvertible(to: string): EvalError {
	return new EvalError(`type conversion error from 'string' to '${to}'`);
}

function parseIntText(text: string): bigint {
	if (!/^[+-]?\d+$/.test(text)) throw unconvertible('int');
	const value = BigInt(text.replace(/^\+/, ''));
	if (value < -(2n ** 63n) || value >= 2n ** 63n) throw unconvertible('int');
	return value;
}

function parseUintText(text: string): Uint {
	if (!/^\d+$/.test(text)) throw unconvertible('uint');
	const value = BigInt(text);
	if (value >= 2n ** 64n) throw unconvertible('uint');
	return new Uint(value);
}

function parseDouble(text: string): number {
	if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
	if (/^nan$/i.test(text)) return Number.NaN;
	const plain = text.replace(/(?<=\d)_(?=\d)/g, '');
	if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(plain)) throw unconvertible('double');
	const value = Number(plain);
	if (!Number.isFinite(value)) throw unconvertible('double');
	return value;
}

function boolOf(text: string): boolean {
	const value = goBool(text);
	if (value === undefined) throw unconvertible('bool');
	return value;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function textOf(bytes: Uint8Array): string {
	try {
		return decoder.decode(bytes);
	} catch {
		throw new EvalError('invalid UTF-8 in bytes, cannot convert to string');
	}
}

function durationOf(text: string): Duration {
	const nanos = parseDuration(text);
	if (nanos === undefined) throw unconvertible('google.protobuf.Duration');
	return new Duration(nanos);
}

/** In capitals, as Go reads it. */
function readTimestamp(text: string): Timestamp {
	const time = /[tz]/.test(text) ? undefined : timestampOf(text);
	if (time === undefined) throw unconvertible('google.protobuf.Timestamp');
	return checkedTimestamp(time.nanos, time.offsetMinutes);
}

const identity = (value?: Value): Value => value as Value;
const SECOND = 1_000_000_000n;
const floorSeconds = (nanos: bigint): bigint => (nanos - (((nanos % SECOND) + SECOND) % SECOND)) / SECOND;
const sizeCall = (value?: Value): Value => BigInt(sizeOf(value as Value) ?? 0);

export const conversions: readonly Overload[] = [
	overload('type', 'type(A): type(A)', (a) => new TypeValue(typeNameOf(a as Value))),
	overload('to_dyn', 'dyn(A): dyn', identity, { estimate: (args, of) => ({ cost: { min: 1, max: 1 }, size: of.size(args[0]) }) }),
	overload('bool_to_bool', 'bool(bool): bool', identity),
	overload('string_to_bool', 'bool(string): bool', (a) => boolOf(a as string)),
	overload('bytes_to_bytes', 'bytes(bytes): bytes', identity),
	overload('string_to_bytes', 'bytes(string): bytes', (a) => Buffer.from(a as string), {
		byOverload: true,
		cost: (args) => traversal(sized(args[0])),
		estimate: (args, of) => {
			const { min, max } = of.size(args[0]);
			return { cost: estimates.scale({ min, max }, TRAVERSAL), size: { min, max: max * 4 } };
		},
	}),
	overload('double_to_double', 'double(double): double', identity),
	overload('int64_to_double', 'double(int): double', (a) => Number(a as bigint)),
	overload('string_to_double', 'double(string): double', (a) => parseDouble(a as string)),
	overload('uint64_to_double', 'double(uint): double', (a) => Number((a as Uint).value)),
	overload('duration_to_duration', 'duration(duration): duration', identity),
	overload('int64_to_duration', 'duration(int): duration', () => {
		throw new EvalError("type conversion error from 'int' to 'google.protobuf.Duration'");
	}),
	overload('string_to_duration', 'duration(string): duration', (a) => durationOf(a as string)),
	overload('int64_to_int64', 'int(int): int', identity),
	overload('double_to_int64', 'int(double): int', (a) => truncated(a as number, -(2 ** 63), 2 ** 63, RANGE)),
	overload('duration_to_int64', 'int(duration): int', (a) => (a as Duration).nanos),
	overload('string_to_int64', 'int(string): int', (a) => parseIntText(a as string)),
	overload('timestamp_to_int64', 'int(timestamp): int', (a) => floorSeconds((a as Timestamp).nanos)),
	overload('uint64_to_int64', 'int(uint): int', (a) => intOf((a as Uint).value)),
	overload('string_to_string', 'string(string): string', identity),
	overload('bool_to_string', 'string(bool): string', String as (a?: Value) => string),
	overload('bytes_to_string', 'string(bytes): string', (a) => textOf(a as Uint8Array), {
		byOverload: true,
		cost: (args) => traversal(sized(args[0])),
		estimate: (args, of) => {
			const { min, max } = of.size(args[0]);
			return { cost: estimates.scale({ min, max }, TRAVERSAL), size: { min: Math.floor(min / 4), max } };
		},
	}),
	overload('double_to_string', 'string(double): string', (a) => goFloat(a as number)),
	overload('duration_to_string', 'string(duration): string', (a) => formatDuration((a as Duration).nanos)),
	overload('int64_to_string', 'string(int): string', String as (a?: Value) => string),
	overload('timestamp_to_string', 'string(timestamp): string', (a) => formatTimestamp(a as Timestamp)),
	overload('uint64_to_string', 'string(uint): string', (a) => (a as Uint).value.toString()),
	overload('timestamp_to_timestamp', 'timestamp(timestamp): timestamp', identity),
	overload('int64_to_timestamp', 'timestamp(int): timestamp', (a) => checkedTimestamp((a as bigint) * SECOND)),
	overload('string_to_timestamp', 'timestamp(string): timestamp', (a) => readTimestamp(a as string)),
	overload('uint64_to_uint64', 'uint(uint): uint', identity),
	overload(
		'double_to_uint64',
		'uint(double): uint',
		(a) => new Uint(truncated(a as number, -Number.MIN_VALUE, 2 ** 64, 'unsigned integer overflow')),
	),
	overload('int64_to_uint64', 'uint(int): uint', (a) => uintOf(a as bigint)),
	overload('string_to_uint64', 'uint(string): uint', (a) => parseUintText(a as string)),
	overload('size_bytes', 'size(bytes): int', sizeCall),
	overload('bytes_size', 'bytes::size(): int', sizeCall),
	overload('size_list', 'size(list(A)): int', sizeCall),
	overload('list_size', 'list(A)::size(): int', sizeCall),
	overload('size_map', 'size(map(A, B)): int', sizeCall),
	overload('map_size', 'map(A, B)::size(): int', sizeCall),
	overload('size_string', 'size(string): int', (a) => BigInt(lengthOf(a as string))),
	overload('string_size', 'string::size(): int', sizeCall),
];
