/** Fields, keys and items of values, with the errors that reading a missing one gives. */
import { EvalError } from './errors.ts';
import { goTypeOf } from './go-types.ts';
import { keyText, ListValue, MapValue, Optional, typeNameOf, Uint, type Value } from './values.ts';

export function isPresent(value: Value, field: string): boolean {
	if (value instanceof Optional) return value.value !== undefined && isPresent(value.value, field);
	return value instanceof MapValue ? value.get(field) !== undefined : noField(value);
}

/** Lists have no fields; whatever else is no map has none by that name. */
function noField(value: Value): false {
	if (value instanceof ListValue) throw new EvalError("unsupported index type 'string' in list");
	return false;
}

export function fieldOf(value: Value, field: string): Value {
	const found = value instanceof MapValue ? value.get(field) : undefined;
	if (found !== undefined) return found;
	noField(value);
	throw new EvalError(`no such key: ${field}`);
}

export function optionalField({ value }: Optional, field: string): Optional {
	if (value === undefined) return Optional.none;
	const found = value instanceof MapValue ? value.get(field) : undefined;
	if (found !== undefined) return Optional.of(found);
	noField(value);
	return Optional.none;
}

export function element(value: Value, key: Value): Value {
	if (value instanceof MapValue) {
		const found = value.get(key);
		if (found === undefined) throw new EvalError(`no such key: ${keyText(key)}`);
		return found;
	}
	if (!(value instanceof ListValue)) throw new EvalError(`no such key: ${keyText(key)}`);
	const index = indexOf(key);
	if (index < 0 || index >= value.size) throw new EvalError(`index out of bounds: ${keyText(key)}`);
	return value.at(index);
}

export function elementOrNothing(value: Value, key: Value): Value | undefined {
	if (value instanceof MapValue) return value.get(key);
	if (!(value instanceof ListValue)) return undefined;
	const index = indexOf(key);
	return index < 0 || index >= value.size ? undefined : value.at(index);
}

/** The key itself, where it is of a type that keys and indexes have. */
export function checkStep(key: Value): Value {
	if (typeof key === 'object' && !(key instanceof Uint)) throw new EvalError(`invalid qualifier type: ${goTypeOf(key)}`);
	return key;
}

function indexOf(key: Value): number {
	if (typeof key === 'bigint') return Number(key);
	if (key instanceof Uint) return Number(key.value);
	if (typeof key !== 'number') throw new EvalError(`unsupported index type '${typeNameOf(key)}' in list`);
	if (Number.isInteger(key)) return key;
	throw new EvalError(`unsupported index value ${key} in list`);
}

/** What a fold goes over: items, or keys; with two variables indexes and items, or keys and values. */
export function* ranged(over: Value, two: boolean): Generator<readonly [Value, Value]> {
	if (over instanceof ListValue) {
		for (let i = 0; i < over.size; i++) yield two ? [BigInt(i), over.at(i)] : [over.at(i), null];
		return;
	}
	if (!(over instanceof MapValue))
		throw new EvalError(
			two ? `unsupported comprehension range type: ${goTypeOf(over)}` : `got '${goTypeOf(over)}', expected iterable type`,
		);
	for (const key of over.keys()) yield [key, two ? (over.get(key) as Value) : null];
}
