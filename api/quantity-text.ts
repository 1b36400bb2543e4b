/** A quantity's text taken apart as Go's reader does: sign, digits, suffix, and whether it stays as it was written. */
import { AppError } from '../base/errors.ts';

export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface QuantityText {
	readonly negative: boolean;
	/** All digits; the last `fraction` of them stand behind the point. */
	readonly digits: string;
	readonly fraction: number;
	readonly base: 2 | 10;
	readonly exponent: number;
	readonly format: QuantityFormat;
	/** Go answers such a text unchanged ("1.500", "+1Ki"), unless it is rounded to a larger unit than 10^scale. */
	readonly kept: boolean;
	readonly scale: number;
}

export const QUANTITY_ERROR = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NO_NUMBER = 'unable to parse numeric part of quantity';
const NO_SUFFIX = "unable to parse quantity's suffix";

const FORM = /^([+-]?)(0*)(\d*)(?:(\.)(\d*))?([eEinumkKMGTP]*[+-]?\d*)$/;
const BINARY: readonly string[] = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
/** How many digits Go reads without big numbers (maxInt64Factors), and at which bits that ends for powers of two. */
const FAST_DIGITS = 18;
const FAST_BINARY_DIGITS = 14;
const NANO_SCALE = -9;
const MAX_INT64 = (1n << 63n) - 1n;
/** Nobody means more; Go's time grows with the exponent. */
const MAX_EXPONENT = 1000;
/** The same of its digits, by whose square reading takes longer. */
const MAX_DIGITS = 10_000;

/** AppError InvalidArgument in upstream's words for what is none. */
export function readQuantityText(text: string): QuantityText {
	const match = text === '' ? null : FORM.exec(text);
	if (match === null) throw refused(QUANTITY_ERROR);
	const [, sign = '', zeros = '', given = '', point = '', fraction = '', suffix = ''] = match;
	const { base, exponent, format } = meaning(suffix);
	const whole = given === '' ? '0' : given;
	const digits = whole + fraction;
	if (digits.length > MAX_DIGITS) throw refused(NO_NUMBER);
	const read = { negative: sign === '-', digits, fraction: fraction.length, base, exponent, format };
	const scale = (base === 2 ? 0 : exponent) - fraction.length;
	if (isFast(read, scale)) return { ...read, kept: isKept(read, scale), scale };
	// A sign alone and zeros alone are a number, but no big one.
	if (zeros === '' && given === '' && fraction === '' && (point !== '' || suffix !== '')) throw refused(NO_NUMBER);
	return { ...read, kept: false, scale };
}

function refused(why: string): AppError {
	return new AppError('InvalidArgument', why);
}

function meaning(suffix: string): Pick<QuantityText, 'base' | 'exponent' | 'format'> {
	const decimal = Object.hasOwn(DECIMAL, suffix) ? DECIMAL[suffix] : undefined;
	if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' };
	const binary = BINARY.indexOf(suffix);
	if (binary >= 0) return { base: 2, exponent: 10 * (binary + 1), format: 'BinarySI' };
	if (!/^[eE][+-]?\d+$/.test(suffix)) throw refused(NO_SUFFIX);
	const exponent = Number(suffix.slice(1));
	if (Math.abs(exponent) > MAX_EXPONENT) throw refused(NO_SUFFIX);
	return { base: 10, exponent, format: 'DecimalExponent' };
}

type Read = Omit<QuantityText, 'kept' | 'scale'>;

/** Whether the value fits Go's int64 with a decimal scale. */
function isFast({ digits, fraction, base, exponent }: Read, scale: number): boolean {
	if (base === 10) return digits.length <= FAST_DIGITS && scale >= NANO_SCALE;
	const room = FAST_BINARY_DIGITS - digits.length - Math.trunc((exponent * 3) / 10);
	return fraction === 0 && room >= 0 && BigInt(digits) << BigInt(exponent) <= MAX_INT64;
}

/** In what Go takes for canonical form: a number it would not divide further. */
function isKept({ digits, base }: Read, scale: number): boolean {
	if (base === 2) return (BigInt(digits) & 7n) !== 0n;
	return scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}
