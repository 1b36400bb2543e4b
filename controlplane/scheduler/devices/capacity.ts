/** What a request takes of the capacities of a device, of which several may have their share (upstream's DRAConsumableCapacity). Pure. */
import type { CapacityRequestPolicy, CapacityRequirements, Device, DeviceCapacity, Quantity as Text } from '../../../api/gen/types.ts';
import { parseQuantity, type Quantity } from '../../../api/quantity.ts';

/** Capacity to amount. */
export type Consumption = ReadonlyMap<string, Quantity>;

const NANO = 1_000_000_000n;

/** Of every capacity of the device; undefined where the request names one that there is not, or breaks a policy. */
export function consumptionOf(wanted: CapacityRequirements | undefined, { capacity = {} }: Device): Consumption | undefined {
	const requests = wanted?.requests ?? {};
	if (Object.keys(requests).some((name) => !Object.hasOwn(capacity, name))) return undefined;
	const taken = new Map(Object.entries(capacity).map(([name, of]) => [name, amountOf(requests[name], of)]));
	const isAllowed = [...taken].every(([name, amount]) => keepsTo(amount, capacity[name]?.requestPolicy));
	return isAllowed ? taken : undefined;
}

/** Whether the device has that much beside what is taken already. */
export function hasRoom({ capacity = {} }: Device, wanted: Consumption, taken: ReadonlyMap<string, bigint> | undefined): boolean {
	return Object.entries(capacity).every(
		([name, { value }]) => (taken?.get(name) ?? 0n) + (wanted.get(name)?.nano ?? 0n) <= parseQuantity(value).nano,
	);
}

/** As asked for, rounded up to what the policy knows; the policy's default, or all, where nothing is asked for. */
function amountOf(wanted: Text | undefined, { value, requestPolicy }: DeviceCapacity): Quantity {
	if (wanted === undefined) return parseQuantity(requestPolicy?.default ?? value);
	const asked = parseQuantity(wanted);
	const { validRange, validValues } = requestPolicy ?? {};
	if (validRange !== undefined) {
		const min = parseQuantity(validRange.min);
		if (asked.nano < min.nano) return min;
		if (validRange.step === undefined) return asked;
		const [from, step] = [units(min), units(parseQuantity(validRange.step))];
		const steps = (units(asked) - from + step - 1n) / step;
		return { nano: (from + step * steps) * NANO, format: 'BinarySI' };
	}
	return (validValues ?? []).map(parseQuantity).find(({ nano }) => asked.nano <= nano) ?? asked;
}

function keepsTo(amount: Quantity, policy: CapacityRequestPolicy | undefined): boolean {
	const { default: usual, validRange, validValues = [] } = policy ?? {};
	if (usual !== undefined && parseQuantity(usual).nano === amount.nano) return true;
	if (validRange !== undefined) {
		const { min, max, step } = validRange;
		if (max !== undefined && amount.nano > parseQuantity(max).nano) return false;
		return step === undefined || (units(amount) - units(parseQuantity(min))) % units(parseQuantity(step)) === 0n;
	}
	return validValues.length === 0 || validValues.some((value) => parseQuantity(value).nano === amount.nano);
}

/** Whole ones, rounded up, as Quantity.Value() of upstream. */
function units({ nano }: Quantity): bigint {
	return nano > 0n ? (nano + NANO - 1n) / NANO : nano / NANO;
}
