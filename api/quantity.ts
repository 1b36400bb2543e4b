/** Kubernetes quantities: parsed exactly (in units of 10^-9), compared, added, and written in canonical form (apimachinery api/resource). */
import { AppError } from '../base/errors.ts';

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface Quantity {
	/** The value times 10^9, rounded up (away from zero) beyond that. */
	readonly nano: bigint;
	readonly format: QuantityFormat;
}

const NANO = 1_000_000_000n;
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E|[eE][+-]?\d+)?$/;
const BINARY: Readonly<Record<string, bigint>> = {
	Ki: 1n << 10n,
	Mi: 1n << 20n,
	Gi: 1n << 30n,
	Ti: 1n << 40n,
	Pi: 1n << 50n,
	Ei: 1n << 60n,
};
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
/** Largest value Go keeps: 2^63-1 units; larger ones are capped. */
const MAX_NANO = ((1n << 63n) - 1n) * NANO;

export const QUANTITY_ERROR = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Parses; AppError InvalidArgument with upstream's text. Numbers are taken as their text. */
export function parseQuantity(value: string | number): Quantity {
	const text = String(value);
	const match = FORM.exec(text);
	const [, sign = '', whole = '', fraction = '', suffix = ''] = match ?? [];
	if (match === null || (whole === '' && fraction === '')) throw new AppError('InvalidArgument', QUANTITY_ERROR);
	const digits = BigInt(`${whole}${fraction}`);
	const scaled = scale(digits, fraction.length, suffix);
	const capped = scaled > MAX_NANO ? MAX_NANO : scaled;
	return { nano: sign === '-' ? -capped : capped, format: formatOf(suffix) };
}

function formatOf(suffix: string): QuantityFormat {
	return suffix in BINARY ? 'BinarySI' : /^[eE][+-]?\d/.test(suffix) ? 'DecimalExponent' : 'DecimalSI';
}

function scale(digits: bigint, fractionDigits: number, suffix: string): bigint {
	const binary = BINARY[suffix];
	if (binary !== undefined) return ceilDiv(digits * binary * NANO, 10n ** BigInt(fractionDigits));
	const exponent = (DECIMAL[suffix] ?? Number(suffix.slice(1))) + 9 - fractionDigits;
	if (exponent > 60) return digits === 0n ? 0n : MAX_NANO + 1n;
	return exponent >= 0 ? digits * 10n ** BigInt(exponent) : ceilDiv(digits, 10n ** BigInt(Math.min(-exponent, 400)));
}

function ceilDiv(a: bigint, b: bigint): bigint {
	return a >= 0n ? (a + b - 1n) / b : -((-a + b - 1n) / b);
}

/** The canonical text: no fraction, the largest suffix that divides. */
export function formatQuantity({ nano, format }: Quantity): string {
	if (nano === 0n) return '0';
	const sign = nano < 0n ? '-' : '';
	const size = nano < 0n ? -nano : nano;
	if (format === 'BinarySI' && size >= 1024n * NANO && size % NANO === 0n) {
		let units = size / NANO;
		let suffix = '';
		for (const next of Object.keys(BINARY)) {
			if (units % 1024n !== 0n) break;
			units /= 1024n;
			suffix = next;
		}
		return `${sign}${units}${suffix}`;
	}
	let [digits, exponent] = [size, -9];
	while (digits % 1000n === 0n && exponent < 18) {
		digits /= 1000n;
		exponent += 3;
	}
	if (format === 'DecimalExponent') return `${sign}${digits}${exponent === 0 ? '' : `e${exponent}`}`;
	const suffix = Object.entries(DECIMAL).find(([, e]) => e === exponent)?.[0] ?? '';
	return `${sign}${digits}${suffix}`;
}

/** Objects repeat few quantities; their canonical texts are kept. */
const known = new Map<string | number, string>();
const MAX_KNOWN = 1000;

/** Canonical text of any accepted form. */
export function canonicalQuantity(value: string | number): string {
	let text = known.get(value);
	if (text === undefined) {
		text = formatQuantity(parseQuantity(value));
		if (known.size >= MAX_KNOWN) known.clear();
		known.set(value, text);
	}
	return text;
}

/** Milli-units rounded up: the CPU form. Absent is 0. */
export function ceilMilli(value: string | number | undefined): number {
	return value === undefined ? 0 : Number(ceilDiv(parseQuantity(value).nano, 1_000_000n));
}

/** Whole units rounded up: bytes, counts. Absent is 0. */
export function ceilUnits(value: string | number | undefined): number {
	return value === undefined ? 0 : Number(ceilDiv(parseQuantity(value).nano, NANO));
}

export function compareQuantities(a: string | number, b: string | number): number {
	const [x, y] = [parseQuantity(a).nano, parseQuantity(b).nano];
	return x < y ? -1 : x > y ? 1 : 0;
}

/** The sum, in the first one's form unless that is zero. */
export function addQuantities(a: string | number, b: string | number): string {
	const [x, y] = [parseQuantity(a), parseQuantity(b)];
	return formatQuantity({ nano: x.nano + y.nano, format: x.nano === 0n ? y.format : x.format });
}

/** Rounded up to thousandths, as upstream does to every resource list. */
export function roundedToMilli(value: string | number): string {
	const { nano, format } = parseQuantity(value);
	return formatQuantity({ nano: ceilDiv(nano, 1_000_000n) * 1_000_000n, format });
}
