/** optional_type: values that may be missing. */
import { EvalError } from '../errors.ts';
import { overload, type Overload } from '../functions.ts';
import { ArrayList, ListValue, MapValue, Optional, sizeOf, type Value } from '../values.ts';

function isZero(value: Value): boolean {
	if (value === null || value === false || value === 0 || value === 0n || value === '') return true;
	if (value instanceof ListValue || value instanceof MapValue || value instanceof Uint8Array) return sizeOf(value) === 0;
	return typeof value === 'object' && 'nanos' in value && value.nanos === 0n;
}

/** cel-go chooses without a call. */
const FREE = { cost: () => 0 };

export const optionals: readonly Overload[] = [
	overload('optional_of', 'optional.of(V): optional(V)', (value) => Optional.of(value as Value)),
	overload('optional_ofNonZeroValue', 'optional.ofNonZeroValue(V): optional(V)', (value) =>
		isZero(value as Value) ? Optional.none : Optional.of(value as Value),
	),
	overload('optional_none', 'optional.none(): optional(V)', () => Optional.none),
	overload('optional_value', 'optional(V)::value(): V', (optional) => {
		const { value } = optional as Optional;
		if (value === undefined) throw new EvalError('optional.none() dereference');
		return value;
	}),
	overload('optional_hasValue', 'optional(V)::hasValue(): bool', (optional) => (optional as Optional).value !== undefined),
	overload(
		'optional_or_optional',
		'optional(V)::or(optional(V)): optional(V)',
		(a, b) => ((a as Optional).value === undefined ? b : a) as Value,
		FREE,
	),
	overload('optional_orValue_value', 'optional(V)::orValue(V): V', (a, b) => (a as Optional).value ?? (b as Value), FREE),
	overload('list_first', 'list(V)::first(): optional(V)', (list) => optionalAt(list as ListValue, 0)),
	overload('list_last', 'list(V)::last(): optional(V)', (list) => optionalAt(list as ListValue, (list as ListValue).size - 1)),
	overload('optional_unwrapOpt', 'list(optional(V))::unwrapOpt(): list(V)', unwrapped),
	overload('optional_unwrap', 'optional.unwrap(list(optional(V))): list(V)', unwrapped),
];

const optionalAt = (list: ListValue, index: number): Optional => (list.size === 0 ? Optional.none : Optional.of(list.at(index)));

function unwrapped(list?: Value): Value {
	return new ArrayList(
		[...(list as ListValue)].flatMap((item) => (item instanceof Optional && item.value !== undefined ? [item.value] : [])),
	);
}
