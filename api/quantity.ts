/** Kubernetes quantities: parsed exactly (in units of 10^-9), compared, added, and written in canonical form (apimachinery api/resource). */
import { readQuantityText, type QuantityFormat, type QuantityText } from './quantity-text.ts';

export { QUANTITY_ERROR, type QuantityFormat } from './quantity-text.ts';

export interface Quantity {
	/** The value times 10^9, rounded up (away from zero) beyond that. */
	readonly nano: bigint;
	readonly format: QuantityFormat;
}

const NANO = 1_000_000_000n;
/** Largest value Go keeps of binary ones: 2^63-1 units; larger ones are capped. */
const MAX_BINARY = ((1n << 63n) - 1n) * NANO;

/** Parses; AppError InvalidArgument with upstream's text. Numbers are taken as their text. */
export function parseQuantity(value: string | number): Quantity {
	return valueOf(readQuantityText(String(value)));
}

function valueOf({ negative, digits, fraction, base, exponent, format }: QuantityText): Quantity {
	const number = BigInt(digits);
	const power = base === 2 ? 0 : exponent;
	const scale = power + 9 - fraction;
	const amount = base === 2 ? number << BigInt(exponent) : number;
	const exact = scale >= 0 ? amount * 10n ** BigInt(scale) : ceilDiv(amount, 10n ** BigInt(-scale));
	const size = format === 'BinarySI' && exact > MAX_BINARY ? MAX_BINARY : exact;
	const small = format === 'BinarySI' && size < NANO && size > 0n;
	return { nano: negative ? -size : size, format: small ? 'DecimalSI' : format };
}

function ceilDiv(a: bigint, b: bigint): bigint {
	return a >= 0n ? (a + b - 1n) / b : -((-a + b - 1n) / b);
}

const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/** The canonical text: no fraction, the largest suffix that divides; what is larger than every suffix has none, as with Go. */
export function formatQuantity({ nano, format }: Quantity): string {
	if (nano === 0n) return '0';
	const sign = nano < 0n ? '-' : '';
	const size = nano < 0n ? -nano : nano;
	if (format === 'BinarySI' && size >= 1024n * NANO && size % NANO === 0n) {
		let [units, power] = [size / NANO, 0];
		for (; units % 1024n === 0n; power++) units /= 1024n;
		return `${sign}${units}${BINARY_SUFFIXES[power] ?? ''}`;
	}
	const text = size.toString();
	const thousands = Math.floor((text.length - text.replace(/0+$/, '').length) / 3);
	const digits = text.slice(0, text.length - 3 * thousands);
	if (format !== 'DecimalExponent') return `${sign}${digits}${DECIMAL_SUFFIXES[thousands] ?? ''}`;
	return `${sign}${digits}${thousands === 3 ? '' : `e${3 * thousands - 9}`}`;
}

/** Objects repeat few quantities; their canonical texts are kept. */
const known = new Map<string | number, string>();
const MAX_KNOWN = 1000;
const MAX_KNOWN_LENGTH = 64;

/** Canonical text of any accepted form. */
export function canonicalQuantity(value: string | number): string {
	let text = known.get(value);
	if (text === undefined) {
		const read = readQuantityText(String(value));
		text = read.kept ? String(value) : formatQuantity(valueOf(read));
		if (known.size >= MAX_KNOWN) known.clear();
		if (text.length <= MAX_KNOWN_LENGTH && String(value).length <= MAX_KNOWN_LENGTH) known.set(value, text);
	}
	return text;
}

/** Milli-units rounded up: the CPU form. Absent is 0. */
export function ceilMilli(value: string | number | undefined): number {
	return value === undefined ? 0 : Number(ceilDiv(parseQuantity(value).nano, 1_000_000n));
}

/** Whole units rounded up: bytes, counts. Absent is 0. */
export function ceilUnits(value: string | number | undefined): number {
	return value === undefined ? 0 : Number(wholeUnits(value));
}

/** Rounded up, and exact. */
export function wholeUnits(value: string | number): bigint {
	return ceilDiv(parseQuantity(value).nano, NANO);
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
	const read = readQuantityText(String(value));
	if (read.kept && read.scale >= -3) return String(value);
	const { nano, format } = valueOf(read);
	return formatQuantity({ nano: ceilDiv(nano, 1_000_000n) * 1_000_000n, format });
}
