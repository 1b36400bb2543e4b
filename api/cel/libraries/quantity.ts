/** Kubernetes' quantity library. */
import { AppError } from '../../../base/errors.ts';
import { parseQuantity, type Quantity } from '../../quantity.ts';
import { EvalError } from '../errors.ts';
import { overload, type Overload } from '../functions.ts';
import { Opaque, type Value } from '../values.ts';
import { walks } from './costs.ts';

const TYPE = 'kubernetes.Quantity';
const NANO = 1_000_000_000n;

export function quantityValue(quantity: Quantity): Value {
	return new Opaque(TYPE, quantity, (a, b) => a.nano === b.nano);
}

function read(text: string): Quantity {
	try {
		return parseQuantity(text);
	} catch (error) {
		if (error instanceof AppError) throw new EvalError(error.message);
		throw error;
	}
}

function isQuantity(text: string): boolean {
	try {
		read(text);
		return true;
	} catch {
		return false;
	}
}

const of = (value: Value | undefined): Quantity => (value as Opaque<Quantity>).value;
const units = (value: Value | undefined): bigint => BigInt(value as bigint) * NANO;
const order = (a: bigint, b: bigint): bigint => (a < b ? -1n : a > b ? 1n : 0n);

function wholeUnits({ nano }: Quantity): bigint {
	const value = nano / NANO;
	if (nano % NANO !== 0n || value >= 2n ** 63n || value < -(2n ** 63n)) throw new EvalError('cannot convert value to integer');
	return value;
}

function isInteger(value?: Value): Value {
	const { nano } = of(value);
	return nano % NANO === 0n && nano / NANO < 2n ** 63n;
}

export const quantities: readonly Overload[] = [
	overload('string_to_quantity', 'quantity(string): kubernetes.Quantity', (text) => quantityValue(read(text as string)), walks(0)),
	overload('is_quantity_string', 'isQuantity(string): bool', (text) => isQuantity(text as string), walks(0)),
	overload('quantity_sign', 'sign(kubernetes.Quantity): int', (q) => order(of(q).nano, 0n)),
	overload('quantity_is_greater_than', 'kubernetes.Quantity::isGreaterThan(kubernetes.Quantity): bool', (a, b) => of(a).nano > of(b).nano),
	overload('quantity_is_less_than', 'kubernetes.Quantity::isLessThan(kubernetes.Quantity): bool', (a, b) => of(a).nano < of(b).nano),
	overload('quantity_compare_to', 'kubernetes.Quantity::compareTo(kubernetes.Quantity): int', (a, b) => order(of(a).nano, of(b).nano)),
	overload('quantity_get_float', 'kubernetes.Quantity::asApproximateFloat(): double', (q) => Number(of(q).nano) / 1e9),
	overload('quantity_get_int', 'kubernetes.Quantity::asInteger(): int', (q) => wholeUnits(of(q))),
	overload('quantity_is_integer', 'kubernetes.Quantity::isInteger(): bool', isInteger),
	overload('quantity_add', 'kubernetes.Quantity::add(kubernetes.Quantity): kubernetes.Quantity', (a, b) =>
		quantityValue({ ...of(a), nano: of(a).nano + of(b).nano }),
	),
	overload('quantity_add_int', 'kubernetes.Quantity::add(int): kubernetes.Quantity', (a, b) =>
		quantityValue({ ...of(a), nano: of(a).nano + units(b) }),
	),
	overload('quantity_sub', 'kubernetes.Quantity::sub(kubernetes.Quantity): kubernetes.Quantity', (a, b) =>
		quantityValue({ ...of(a), nano: of(a).nano - of(b).nano }),
	),
	overload('quantity_sub_int', 'kubernetes.Quantity::sub(int): kubernetes.Quantity', (a, b) =>
		quantityValue({ ...of(a), nano: of(a).nano - units(b) }),
	),
];
