/** How much of a device's capacity may be asked for (upstream validateRequestPolicy). */
import { fieldForbidden, invalidValue, required } from '../../field-error.ts';
import type { CapacityRequestPolicy, CapacityRequestPolicyRange, DeviceCapacity } from '../../gen/types.ts';
import { addQuantities, compareQuantities, wholeUnits } from '../../quantity.ts';
import { unique } from './lists.ts';
import type { Errors } from '../rule.ts';

const MAX_VALUES = 10;
const BOTH = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';

export function deviceCapacity(out: Errors, at: string, { value, requestPolicy: policy }: DeviceCapacity, isShared: boolean): void {
	if (policy === undefined) return;
	const path = `${at}.requestPolicy`;
	if (!isShared) out.push(fieldForbidden(path, 'allowMultipleAllocations must be true'));
	else if ((policy.validValues ?? []).length > 0 && policy.validRange !== undefined) out.push(fieldForbidden(path, BOTH));
	else requestPolicy(out, path, policy, value ?? '0');
}

function requestPolicy(
	out: Errors,
	at: string,
	{ default: usual, validValues = [], validRange }: CapacityRequestPolicy,
	most: string,
): void {
	const kind = validValues.length > 0 ? 'validValues' : validRange === undefined ? undefined : 'validRange';
	if (kind === undefined) return;
	if (usual === undefined) out.push(required(`${at}.default`, `required when ${kind} is defined`));
	else if (validRange === undefined) values(out, `${at}.validValues`, validValues, usual, most);
	else range(out, `${at}.validRange`, validRange, usual, most);
}

function values(out: Errors, path: string, list: readonly string[], usual: string, most: string): void {
	for (const [i, value] of list.entries())
		if (i > 0 && isMore(list[i - 1], value)) out.push(invalidValue(`${path}[${i}]`, value, 'values must be sorted in ascending order'));
	// As upstream: what rounds up to one number is one value.
	const units = (value: string): string => String(wholeUnits(value));
	unique(out, path, list, MAX_VALUES, units, (at, value) => {
		if (isMore(value, most)) out.push(invalidValue(at, value, `option is larger than capacity value: ${most}`));
	});
	if (list.length > MAX_VALUES || !list.some((value) => compareQuantities(value, usual) === 0))
		out.push(invalidValue(path, usual, 'default value is not valid according to the requestPolicy'));
}

function range(out: Errors, at: string, { min, max, step }: Partial<CapacityRequestPolicyRange>, usual: string, most: string): void {
	if (min === undefined) {
		out.push(required(`${at}.min`, 'required when validRange is defined'));
		return;
	}
	if (isMore(min, most)) out.push(invalidValue(`${at}.min`, min, `min is larger than capacity value: ${most}`));
	if (isMore(min, usual)) out.push(invalidValue(`${at}.min`, usual, `default is less than min: ${min}`));
	if (max !== undefined) {
		if (isMore(min, max)) out.push(invalidValue(`${at}.max`, min, `min is larger than max: ${max}`));
		if (isMore(max, most)) out.push(invalidValue(`${at}.max`, max, `max is larger than capacity value: ${most}`));
		if (isMore(usual, max)) out.push(invalidValue(`${at}.max`, usual, `default is more than max: ${max}`));
	}
	if (step === undefined) return;
	const next = addQuantities(min, step);
	if (isMore(next, most)) out.push(invalidValue(`${at}.step`, step, `one step ${next} is larger than capacity value: ${most}`));
	for (const value of max === undefined ? [usual] : [usual, max])
		if (!isMultiple(wholeUnits(value) - wholeUnits(min), wholeUnits(step)))
			out.push(invalidValue(`${at}.step`, value, `value is not a multiple of a given step (${step}) from (${min})`));
}

function isMultiple(value: bigint, step: bigint): boolean {
	return step !== 0n && value % step === 0n;
}

function isMore(value: string | undefined, other: string): boolean {
	return compareQuantities(value ?? '0', other) > 0;
}
