/** Operators of the standard library: arithmetic with overflow as an error, comparison, membership. */
import { compare, equal } from '../compare.ts';
import { concatenated } from '../membership.ts';
import { EvalError, NO_OVERLOAD } from '../errors.ts';
import { overload, type Costs, type Implementation, type Overload } from '../functions.ts';
import { EntryMap, keyText, Uint, type Duration, type ListValue, type MapValue, type Timestamp, type Value } from '../values.ts';
import { EQUALS, JOINS, SHORTER, sized } from './costs.ts';
import { estimates } from '../ranges.ts';
import { checkedDuration, checkedTimestamp } from './time-text.ts';

type Int = bigint;
const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const UMAX = 2n ** 64n - 1n;

function int(value: bigint): bigint {
	if (value < MIN || value > MAX) throw new EvalError('integer overflow');
	return value;
}

function uint(value: bigint): Uint {
	if (value < 0n || value > UMAX) throw new EvalError('unsigned integer overflow');
	return new Uint(value);
}

const nonZero = (value: bigint, what: string): bigint => {
	if (value === 0n) throw new EvalError(what);
	return value;
};

const ints =
	(fn: (a: Int, b: Int) => bigint): Implementation =>
	(a, b) =>
		int(fn(a as Int, b as Int));
const uints =
	(fn: (a: Int, b: Int) => bigint): Implementation =>
	(a, b) =>
		uint(fn((a as Uint).value, (b as Uint).value));
const doubles =
	(fn: (a: number, b: number) => number): Implementation =>
	(a, b) =>
		fn(a as number, b as number);
const nanos = (value: Value): bigint => (value as Timestamp | Duration).nanos;
const moved = (time: Timestamp, by: bigint): Timestamp => checkedTimestamp(time.nanos + by, time.offsetMinutes);
const DIVIDE = 'division by zero';
const MODULUS = 'modulus by zero';

const arithmetic: readonly Overload[] = [
	overload('add_bytes', '_+_(bytes, bytes): bytes', (a, b) => Buffer.concat([a as Uint8Array, b as Uint8Array]), JOINS),
	overload(
		'add_double',
		'_+_(double, double): double',
		doubles((a, b) => a + b),
	),
	overload('add_duration_duration', '_+_(duration, duration): duration', (a, b) => checkedDuration(nanos(a as Value) + nanos(b as Value))),
	overload('add_duration_timestamp', '_+_(duration, timestamp): timestamp', (a, b) => moved(b as Timestamp, nanos(a as Value))),
	overload('add_timestamp_duration', '_+_(timestamp, duration): timestamp', (a, b) => moved(a as Timestamp, nanos(b as Value))),
	overload(
		'add_int64',
		'_+_(int, int): int',
		ints((a, b) => a + b),
	),
	overload('add_list', '_+_(list(A), list(A)): list(A)', (a, b) => concatenated(a as ListValue, b as ListValue), {
		estimate: (args, of) => ({ cost: estimates.fixed(1), size: estimates.add(of.size(args[0]), of.size(args[1])) }),
	}),
	overload('add_string', '_+_(string, string): string', (a, b) => (a as string) + (b as string), JOINS),
	overload(
		'add_uint64',
		'_+_(uint, uint): uint',
		uints((a, b) => a + b),
	),
	overload(
		'subtract_double',
		'_-_(double, double): double',
		doubles((a, b) => a - b),
	),
	overload('subtract_duration_duration', '_-_(duration, duration): duration', (a, b) =>
		checkedDuration(nanos(a as Value) - nanos(b as Value)),
	),
	overload(
		'subtract_int64',
		'_-_(int, int): int',
		ints((a, b) => a - b),
	),
	overload('subtract_timestamp_duration', '_-_(timestamp, duration): timestamp', (a, b) => moved(a as Timestamp, -nanos(b as Value))),
	overload('subtract_timestamp_timestamp', '_-_(timestamp, timestamp): duration', (a, b) =>
		checkedDuration(nanos(a as Value) - nanos(b as Value)),
	),
	overload(
		'subtract_uint64',
		'_-_(uint, uint): uint',
		uints((a, b) => a - b),
	),
	overload(
		'multiply_double',
		'_*_(double, double): double',
		doubles((a, b) => a * b),
	),
	overload(
		'multiply_int64',
		'_*_(int, int): int',
		ints((a, b) => a * b),
	),
	overload(
		'multiply_uint64',
		'_*_(uint, uint): uint',
		uints((a, b) => a * b),
	),
	overload(
		'divide_double',
		'_/_(double, double): double',
		doubles((a, b) => a / b),
	),
	overload(
		'divide_int64',
		'_/_(int, int): int',
		ints((a, b) => a / nonZero(b, DIVIDE)),
	),
	overload(
		'divide_uint64',
		'_/_(uint, uint): uint',
		uints((a, b) => a / nonZero(b, DIVIDE)),
	),
	overload(
		'modulo_int64',
		'_%_(int, int): int',
		ints((a, b) => a % nonZero(b, MODULUS)),
	),
	overload(
		'modulo_uint64',
		'_%_(uint, uint): uint',
		uints((a, b) => a % nonZero(b, MODULUS)),
	),
	overload('negate_double', '-_(double): double', (a) => -(a as number)),
	overload('negate_int64', '-_(int): int', (a) => int(-(a as Int))),
	overload('logical_not', '!_(bool): bool', (a) => a !== true),
];

/** In upstream's order: of what may be any type, the first that fits is taken. */
const COMPARED = [
	['bool'],
	['int'],
	['int', 'double'],
	['int', 'uint'],
	['uint'],
	['uint', 'double'],
	['uint', 'int'],
	['double'],
	['double', 'int'],
	['double', 'uint'],
	['string'],
	['bytes'],
	['timestamp'],
	['duration'],
] as const;

function ordering(name: string, symbol: string, holds: (order: number) => boolean): readonly Overload[] {
	const call: Implementation = (a, b) => {
		const order = compare(a as Value, b as Value);
		return order !== undefined && holds(order);
	};
	const costs = (type: string): Costs => (type === 'string' || type === 'bytes' ? SHORTER : {});
	return COMPARED.map(([a, b = a]) => overload(`${name}_${a}_${b}`, `${symbol}(${a}, ${b}): bool`, call, costs(a)));
}

const equality: readonly Overload[] = [
	overload('equals', '_==_(A, A): bool', (a, b) => equal(a as Value, b as Value), EQUALS),
	overload('not_equals', '_!=_(A, A): bool', (a, b) => !equal(a as Value, b as Value), SHORTER),
];

const contained: Costs = {
	byOverload: true,
	cost: (args) => sized(args[1]),
	estimate: (args, of) => ({ cost: of.size(args[1]) }),
};

const membership: readonly Overload[] = [
	overload('in_list', '@in(A, list(A)): bool', (a, list) => [...(list as ListValue)].some((item) => equal(item, a as Value)), contained),
	overload('in_map', '@in(A, map(A, B)): bool', (key, map) => (map as MapValue).has(key as Value)),
	// Declared for the checker; evaluation handles these itself.
	...[
		['logical_and', '_&&_(bool, bool): bool'],
		['logical_or', '_||_(bool, bool): bool'],
		['conditional', '_?_:_(bool, A, A): A'],
		['not_strictly_false', '@not_strictly_false(bool): bool'],
		['index_list', '_[_](list(A), int): A'],
		['index_map', '_[_](map(A, B), A): B'],
		['optional_list_index_int', '_[_](optional(list(V)), int): optional(V)'],
		['optional_map_index_value', '_[_](optional(map(K, V)), K): optional(V)'],
		['list_optindex_optional_int', '_[?_](list(V), int): optional(V)'],
		['optional_list_optindex_optional_int', '_[?_](optional(list(V)), int): optional(V)'],
		['map_optindex_optional_value', '_[?_](map(K, V), K): optional(V)'],
		['optional_map_optindex_optional_value', '_[?_](optional(map(K, V)), K): optional(V)'],
	].map(([id, signature]) => overload(id as string, signature as string, elsewhere)),
];

function elsewhere(): Value {
	throw new EvalError(NO_OVERLOAD);
}

/** A new map with one entry more; the macros transformMap and transformMapEntry use it. */
function inserted(map: Value, entries: Iterable<readonly [Value, Value]>): Value {
	const given = map as MapValue;
	const old = [...given.keys()].map((key): readonly [Value, Value] => [key, given.get(key) as Value]);
	const added = [...entries];
	for (const [key] of added) if (given.get(key) !== undefined) throw new EvalError(`insert failed: key ${keyText(key)} already exists`);
	return new EntryMap([...old, ...added]);
}

const insertion: readonly Overload[] = [
	overload('@mapInsert_map_map', 'cel.@mapInsert(map(K, V), map(K, V)): map(K, V)', (map, more) => {
		const given = more as MapValue;
		return inserted(
			map as Value,
			[...given.keys()].map((key): readonly [Value, Value] => [key, given.get(key) as Value]),
		);
	}),
	overload('@mapInsert_map_key_value', 'cel.@mapInsert(map(K, V), K, V): map(K, V)', (map, key, value) =>
		inserted(map as Value, [[key as Value, value as Value]]),
	),
];

export const operators: readonly Overload[] = [
	...arithmetic,
	...ordering('less', '_<_', (order) => order < 0),
	...ordering('less_equals', '_<=_', (order) => order <= 0),
	...ordering('greater', '_>_', (order) => order > 0),
	...ordering('greater_equals', '_>=_', (order) => order >= 0),
	...equality,
	...membership,
	...insertion,
];
