/** Resource amounts as numbers: cores for cpu, else bytes or a count. Pure. */
import type { Pod, Quantity } from '../../api/gen/types.ts';
import { containerNamed } from './containers.ts';

const SUFFIXES: Readonly<Record<string, number>> = {
	'': 1,
	n: 1e-9,
	u: 1e-6,
	m: 1e-3,
	k: 1e3,
	M: 1e6,
	G: 1e9,
	T: 1e12,
	P: 1e15,
	E: 1e18,
	Ki: 2 ** 10,
	Mi: 2 ** 20,
	Gi: 2 ** 30,
	Ti: 2 ** 40,
	Pi: 2 ** 50,
	Ei: 2 ** 60,
};

/** The value of a quantity; NaN for what is none. */
export function amountOf(quantity: Quantity | number): number {
	if (typeof quantity === 'number') return quantity;
	const match = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(quantity.trim());
	if (match === null) return Number.NaN;
	const [, digits = '', exponent, suffix = ''] = match;
	return Number(digits) * (exponent === undefined ? (SUFFIXES[suffix] ?? Number.NaN) : 10 ** Number(exponent));
}

/** A resource of a container; limits default to what the node has to give. Undefined where nothing says. */
export function resourceOf(
	pod: Pod,
	containerName: string,
	resource: string,
	allocatable: Readonly<Record<string, Quantity>>,
): number | undefined {
	const [list, ...rest] = resource.split('.');
	const name = rest.join('.');
	const resources = containerNamed(pod, containerName)?.spec.resources;
	if (list === 'requests') {
		const value = resources?.requests?.[name] ?? resources?.limits?.[name];
		return value === undefined ? 0 : amountOf(value);
	}
	const value = resources?.limits?.[name] ?? allocatable[name];
	return value === undefined ? undefined : amountOf(value);
}

/** A resource in units of the divisor, rounded up, as env and files show it. */
export function inUnitsOf(amount: number, divisor: Quantity | undefined): string {
	const unit = divisor === undefined || amountOf(divisor) === 0 ? 1 : amountOf(divisor);
	return String(Math.ceil(Number((amount / unit).toPrecision(12))));
}
