/** A float64 as Go prints it (%v, strconv's 'g' in its shortest form). */

/** From here on with an exponent. */
const MAX_PLAIN_DIGITS = 6;

export function goFloat(value: number): string {
	if (Number.isNaN(value)) return 'NaN';
	if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
	if (Object.is(value, -0)) return '-0';
	const [digits = '', exponent = '0'] = value.toExponential().split('e');
	const e = Number(exponent);
	if (value !== 0 && (e < -4 || e >= MAX_PLAIN_DIGITS)) return `${digits}e${e < 0 ? '-' : '+'}${String(Math.abs(e)).padStart(2, '0')}`;
	return plain(value);
}

/** A number of JSON as Go prints it: an int64 where it is one. */
export function goNumber(value: number | bigint): string {
	return isInt64(value) ? String(value) : goFloat(Number(value));
}

/** Whether Go reads it as an int64; integers that a double does not hold exactly come as bigints. */
export function isInt64(value: number | bigint): boolean {
	return typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value);
}

function plain(value: number): string {
	const text = String(value);
	return text.includes('e') ? value.toFixed(20).replace(/0+$/, '').replace(/\.$/, '') : text;
}
