/** 'text %s'.format([…]): cel-go's formatting of values into a text. */
import { goFloat } from '../../go-float.ts';
import { goQuote } from '../../go-quote.ts';
import { EvalError } from '../errors.ts';
import { estimates } from '../ranges.ts';
import { overload, type Overload } from '../functions.ts';
import { Duration, ListValue, MapValue, Timestamp, typeNameOf, TypeValue, Uint, type Value } from '../values.ts';
import { sized, TRAVERSAL, traversal } from './costs.ts';
import { interpolated, unfit, type Verb } from './format-clauses.ts';
import { formatDuration, formatTimestamp } from './time-text.ts';

function formatted(pattern: string, args: ListValue): string {
	const show = (verb: Verb, precision: number | undefined, index: number): string => clause(verb, precision, args.at(index));
	return interpolated(pattern, args.size, show, (index) => {
		if (index >= args.size) throw new EvalError(`index ${index} out of range`);
	}).text;
}

function clause(verb: Verb, precision: number | undefined, value: Value): string {
	switch (verb) {
		case 's':
			return shown(value);
		case 'd':
			return whole(value, 10, verb);
		case 'b':
			return typeof value === 'boolean' ? String(Number(value)) : whole(value, 2, verb);
		case 'o':
			return whole(value, 8, verb);
		case 'x':
		case 'X': {
			const isText = typeof value === 'string' || value instanceof Uint8Array;
			const hex = isText ? Buffer.from(value as string).toString('hex') : whole(value, 16, verb);
			return verb === 'X' ? hex.toUpperCase() : hex;
		}
		case 'f':
			return fraction(value, verb, (n) => n.toFixed(precision ?? 6));
		case 'e':
			// Whatever precision was asked for.
			return fraction(value, verb, scientific);
	}
}

function whole(value: Value, base: number, verb: Verb): string {
	if (typeof value === 'bigint') return value.toString(base);
	if (value instanceof Uint) return value.value.toString(base);
	throw unfit(verb, typeNameOf(value));
}

const NAMED_NUMBERS = new Set<Value>(['NaN', 'Infinity', '-Infinity']);

function fraction(value: Value, verb: Verb, format: (n: number) => string): string {
	if (typeof value !== 'number' && !NAMED_NUMBERS.has(value)) throw unfit(verb, typeNameOf(value));
	const number = Number(value);
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
	if (typeof value === 'number') return goFloat(value);
	if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
	if (value instanceof Uint) return value.value.toString();
	if (value instanceof Uint8Array) return Buffer.from(value).toString();
	if (value instanceof Timestamp) return formatTimestamp(value);
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
	throw unfit('s', typeNameOf(value));
}

export const formatText: readonly Overload[] = [
	overload('string_format', 'string::format(list(dyn)): string', (pattern, args) => formatted(pattern as string, args as ListValue), {
		cost: (args) => traversal(sized(args[0])),
		estimate: (args, of) => ({ cost: estimates.scale(of.size(args[0]), TRAVERSAL) }),
	}),
];
