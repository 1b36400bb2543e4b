/** 'text %s'.format([…]): cel-go's formatting of values into a text. */
import { goQuote } from '../../go-quote.ts';
import { EvalError } from '../errors.ts';
import { estimates } from '../ranges.ts';
import { overload, type Overload } from '../functions.ts';
import { Duration, ListValue, MapValue, Timestamp, TypeValue, Uint, type Value } from '../values.ts';
import { formatDouble } from './conversions.ts';
import { sized, TRAVERSAL, traversal } from './costs.ts';
import { formatDuration, formatTimestamp } from './time-text.ts';

function formatted(pattern: string, args: ListValue): string {
	let next = 0;
	const text = pattern.replace(/%(%|(?:\.(\d+))?([a-zA-Z])|$|.)/g, (whole, all: string, precision?: string, verb?: string) => {
		if (all === '%') return '%';
		if (verb === undefined) throw new EvalError(`could not parse formatting clause: unrecognized formatting clause "${whole.slice(1)}"`);
		if (next >= args.size) throw new EvalError(`index ${next} out of range`);
		return clause(verb, precision === undefined ? undefined : Number(precision), args.at(next++));
	});
	if (next < args.size) throw new EvalError(`too many arguments supplied to string.format (expected ${next}, got ${args.size})`);
	return text;
}

function clause(verb: string, precision: number | undefined, value: Value): string {
	switch (verb) {
		case 's':
			return shown(value);
		case 'd':
			return whole(value, 10, 'decimal clause');
		case 'b':
			return typeof value === 'boolean' ? String(Number(value)) : whole(value, 2, 'binary clause');
		case 'o':
			return whole(value, 8, 'octal clause');
		case 'x':
		case 'X': {
			const hex =
				typeof value === 'string' || value instanceof Uint8Array
					? Buffer.from(value as string).toString('hex')
					: whole(value, 16, 'hex clause');
			return verb === 'X' ? hex.toUpperCase() : hex;
		}
		case 'f':
			return fraction(value, (n) => n.toFixed(precision ?? 6));
		case 'e':
			// Whatever precision was asked for.
			return fraction(value, scientific);
	}
	throw new EvalError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
}

function whole(value: Value, base: number, what: string): string {
	if (typeof value === 'bigint') return value.toString(base);
	if (value instanceof Uint) return value.value.toString(base);
	if (typeof value === 'number' && base === 10) return formatDouble(value);
	throw new EvalError(`error during formatting: ${what} can only be used on integers`);
}

function fraction(value: Value, format: (n: number) => string): string {
	const number = value instanceof Uint ? Number(value.value) : Number(value as number | bigint);
	if (Number.isNaN(number)) return 'NaN';
	return Number.isFinite(number) ? format(number) : number > 0 ? '∞' : '-∞';
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** 1.5×10⁻⁰⁷ */
function scientific(n: number): string {
	const [digits = '', exponent = '0'] = n.toExponential(6).split('e');
	const sign = exponent.startsWith('-') ? '⁻' : '';
	const raised = exponent.replace(/^[+-]/, '').padStart(2, '0');
	return `${digits}×10${sign}${raised.replaceAll(/\d/g, (digit) => SUPERSCRIPTS.charAt(Number(digit)))}`;
}

/** Inside of a list or a map: as a literal. */
function literal(value: Value): string {
	if (typeof value === 'string') return goQuote(value);
	if (typeof value === 'number') return Number.isFinite(value) ? value.toFixed(6) : shown(value);
	if (value instanceof Uint8Array) return `b${goQuote(Buffer.from(value).toString())}`;
	if (value instanceof Timestamp) return `timestamp("${shown(value)}")`;
	if (value instanceof Duration) return `duration("${shown(value)}")`;
	return shown(value);
}

function shown(value: Value): string {
	if (value === null) return 'null';
	if (typeof value === 'string') return value;
	if (typeof value === 'number') return formatDouble(value);
	if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
	if (value instanceof Uint) return value.value.toString();
	if (value instanceof Uint8Array) return Buffer.from(value).toString();
	if (value instanceof Timestamp) return formatTimestamp(value.nanos);
	if (value instanceof Duration) return formatDuration(value.nanos);
	if (value instanceof TypeValue) return value.name;
	if (value instanceof ListValue) return `[${[...value].map(literal).join(', ')}]`;
	if (value instanceof MapValue) {
		const entries = [...value.keys()].map((key): [string, string] => [literal(key), literal(value.get(key) as Value)]);
		return `{${entries
			.toSorted(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, text]) => `${key}:${text}`)
			.join(', ')}}`;
	}
	throw new EvalError(
		'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
	);
}

export const formatText: readonly Overload[] = [
	overload('string_format', 'string::format(list(dyn)): string', (pattern, args) => formatted(pattern as string, args as ListValue), {
		cost: (args) => traversal(sized(args[0])),
		estimate: (args, of) => ({ cost: estimates.scale(of.size(args[0]), TRAVERSAL) }),
	}),
];
