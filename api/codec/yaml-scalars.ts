/** Numbers of YAML as Go's reader resolves plain scalars: its own mix of YAML 1.1, Go's integers and floats. */
import type { ScalarTag } from 'yaml';

/** The number that a plain scalar is; undefined where it is a text. Integers that no double holds are bigints. */
function goNumber(text: string): number | bigint | undefined {
	if (text.startsWith('.')) return SHORT_FLOAT.test(text) ? finite(text) : undefined;
	if (text.startsWith('_')) return undefined;
	const plain = text.replaceAll('_', '');
	if (INTEGER.test(plain)) {
		const value = integer(plain);
		if (value >= MIN_INT64 && value <= (/^[+-]/.test(plain) ? MAX_INT64 : MAX_UINT64))
			return Number.isSafeInteger(Number(value)) ? Number(value) : value;
	}
	return FLOAT.test(plain) ? finite(plain) : undefined;
}

const INTEGER = /^[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const SHORT_FLOAT = /^\.\d+(?:[eE][-+]?\d+)?$/;
const MIN_INT64 = -(1n << 63n);
const MAX_INT64 = (1n << 63n) - 1n;
const MAX_UINT64 = (1n << 64n) - 1n;

function integer(plain: string): bigint {
	const digits = plain.replace(/^[-+]/, '');
	const size = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits);
	return plain.startsWith('-') ? -size : size;
}

/** What a double does not hold is a text. */
function finite(plain: string): number | undefined {
	const value = Number(plain);
	return Number.isFinite(value) ? value : undefined;
}

const resolve = (text: string): number | bigint | string => goNumber(text) ?? text;

/** For the reader's schema, in place of its own. */
export const GO_NUMBERS: readonly ScalarTag[] = [
	{ default: true, tag: 'tag:yaml.org,2002:int', test: /^[-+]?[.\d_]/, resolve },
	{ default: true, tag: 'tag:yaml.org,2002:float', test: /^[-+]?[.\d_]/, resolve },
];

/** JSON has no such number. */
export const NOT_FINITE: ScalarTag = {
	default: true,
	tag: 'tag:yaml.org,2002:float',
	test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
	resolve: (text) => (/n$/i.test(text) ? Number.NaN : text.startsWith('-') ? -Infinity : Infinity),
};
