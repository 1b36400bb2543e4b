/** cel-go's string extension: charAt, indexOf, lastIndexOf, lowerAscii, upperAscii, replace, split, substring, trim, join, quote; format is in format-text.ts. Positions count characters. */
import { NAMED_ESCAPES } from '../../go-quote.ts';
import { goTrim } from '../../go-trim.ts';
import { EvalError } from '../errors.ts';
import { estimates, MAX_COST, type Range } from '../ranges.ts';
import { overload, type Costs, type Overload } from '../functions.ts';
import { ArrayList, lengthOf, type ListValue, type Value } from '../values.ts';
import { sized, TRAVERSAL, traversal, wholeWalk } from './costs.ts';

/** Walks the receiver, and what it gives is reckoned to be as long. */
const TRANSFORMS: Costs = {
	cost: (args) => traversal(sized(args[0])),
	estimate: (args, of) => {
		const size = of.size(args[0]);
		return { cost: estimates.scale(size, TRAVERSAL), size };
	},
};

/** Every character may be escaped, and two quotes are added; of a text without bound upstream's sum overflows. */
const QUOTES: Costs = {
	...TRANSFORMS,
	estimate: (args, of) => {
		const { min, max } = of.size(args[0]);
		return { cost: estimates.scale({ min, max }, TRAVERSAL), size: { min: min + 2, max: max >= MAX_COST ? 0 : max * 2 + 2 } };
	},
};

const SEARCHED: Costs = {
	cost: (args) => wholeWalk(args[0]),
	estimate: (args, of) => ({ cost: estimates.scale(of.size(args[0]), TRAVERSAL) }),
};

/** How often a text of that length may be replaced, and how much of the given one stays; `same`: what comes is no better than what goes. */
function replacements(text: number, from: number, same: boolean): { readonly count: number; readonly kept: number } {
	if (from === 0) return { count: text + 1, kept: text };
	return same ? { count: 0, kept: text } : { count: Math.ceil(text / from), kept: 0 };
}

const REPLACES: Costs = {
	cost: (args) => traversal(2 * sized(args[0])),
	estimate: (args, of) => {
		const [text, from, to] = [of.size(args[0]), of.size(args[1]), of.size(args[2])];
		const most = replacements(text.max, from.min, to.max <= from.min);
		const least = replacements(text.min, from.max, from.max <= to.min);
		const made = estimates.multiply({ min: least.count, max: most.count }, to);
		const size: Range = estimates.add(made, { min: least.kept, max: most.kept });
		return { cost: estimates.scale(text, 2 * TRAVERSAL), size };
	},
};

const SPLITS: Costs = {
	cost: (args) => traversal(2 * sized(args[0])),
	estimate: (args, of) => {
		const size = of.size(args[0]);
		const most = args[2]?.type === 'const' && typeof args[2].value === 'bigint' ? Number(args[2].value) : size.max;
		return { cost: estimates.scale(size, 2 * TRAVERSAL), size: { min: 0, max: most } };
	},
};

const JOINS: Costs = {
	cost: (_args, result) => traversal(2 * sized(result)),
	estimate: (args, of) => {
		const count = of.size(args[0]);
		const texts = estimates.multiply(count, of.items(args[0])?.size ?? { min: 0, max: 0 });
		const between = { min: Math.max(count.min - 1, 0), max: Math.max(count.max - 1, 0) };
		const size = args[1] === undefined ? texts : estimates.add(texts, estimates.multiply(of.size(args[1]), between));
		return { cost: estimates.scale(size, TRAVERSAL), size };
	},
};

function position(value: Value | undefined, length: number): number {
	const index = Number(value as bigint);
	if (index < 0 || index > length) throw new EvalError(`index out of range: ${value as bigint}`);
	return index;
}

/** Index in characters of the text, or -1. */
function found(text: string, part: string, from: Value | undefined, last: boolean): bigint {
	const chars = [...text];
	if (from === undefined) {
		const at = last ? text.lastIndexOf(part) : text.indexOf(part);
		return at < 0 ? -1n : BigInt(lengthOf(text.slice(0, at)));
	}
	const start = position(from, chars.length);
	const wanted = [...part];
	const matches = (at: number): boolean => wanted.every((char, i) => chars[at + i] === char);
	if (last) {
		for (let at = Math.min(start, chars.length - wanted.length); at >= 0; at--) if (matches(at)) return BigInt(at);
	} else for (let at = start; at <= chars.length - wanted.length; at++) if (matches(at)) return BigInt(at);
	return -1n;
}

const ascii =
	(pattern: RegExp, shift: number) =>
	(text?: Value): Value =>
		(text as string).replace(pattern, (char) => String.fromCodePoint(char.charCodeAt(0) + shift));

function replaced(text: string, from: string, to: string, limit: number): string {
	if (limit < 0) return from === '' ? [...text].reduce((out, char) => out + char + to, to) : text.replaceAll(from, to);
	let out = '';
	let at = 0;
	for (let n = 0; n < limit; n++) {
		const next = text.indexOf(from, from === '' && n > 0 ? at + 1 : at);
		if (next < 0 || (from === '' && n > lengthOf(text))) break;
		out += text.slice(at, next) + to;
		at = next + from.length;
	}
	return out + text.slice(at);
}

function splitText(text: string, separator: string, limit: number): Value {
	if (limit === 0) return new ArrayList([]);
	if (limit === 1) return new ArrayList([text]);
	const parts = separator === '' ? [...text] : text.split(separator);
	if (limit < 0 || parts.length <= limit) return new ArrayList(parts);
	return new ArrayList([...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)]);
}

function substring(text: string, from: Value | undefined, to: Value | undefined): string {
	const chars = [...text];
	if (to !== undefined && (from as bigint) > (to as bigint))
		throw new EvalError(`invalid substring range. start: ${from as bigint}, end: ${to as bigint}`);
	const start = position(from, chars.length);
	const end = to === undefined ? chars.length : position(to, chars.length);
	return chars.slice(start, end).join('');
}

function quote(text: string): string {
	return `"${text.replace(/[\x07\b\f\n\r\t\v\\"]/g, (char) => NAMED_ESCAPES[char] ?? char)}"`; // oxlint-disable-line no-control-regex -- these are what is escaped
}

const texts = (list: Value | undefined): string[] => [...(list as ListValue)] as string[];

export const strings: readonly Overload[] = [
	overload('string_char_at_int', 'string::charAt(int): string', (text, at) => {
		const chars = [...(text as string)];
		return chars[position(at, chars.length)] ?? '';
	}),
	overload(
		'string_index_of_string',
		'string::indexOf(string): int',
		(text, part) => found(text as string, part as string, undefined, false),
		SEARCHED,
	),
	overload(
		'string_index_of_string_int',
		'string::indexOf(string, int): int',
		(text, part, from) => found(text as string, part as string, from, false),
		SEARCHED,
	),
	overload(
		'string_last_index_of_string',
		'string::lastIndexOf(string): int',
		(text, part) => found(text as string, part as string, undefined, true),
		SEARCHED,
	),
	overload(
		'string_last_index_of_string_int',
		'string::lastIndexOf(string, int): int',
		(text, part, from) => found(text as string, part as string, from, true),
		SEARCHED,
	),
	overload('string_lower_ascii', 'string::lowerAscii(): string', ascii(/[A-Z]/g, 32), TRANSFORMS),
	overload('string_upper_ascii', 'string::upperAscii(): string', ascii(/[a-z]/g, -32), TRANSFORMS),
	overload(
		'string_replace_string_string',
		'string::replace(string, string): string',
		(text, from, to) => replaced(text as string, from as string, to as string, -1),
		REPLACES,
	),
	overload(
		'string_replace_string_string_int',
		'string::replace(string, string, int): string',
		(text, from, to, limit) => replaced(text as string, from as string, to as string, Number(limit as bigint)),
		REPLACES,
	),
	overload(
		'string_split_string',
		'string::split(string): list(string)',
		(text, separator) => splitText(text as string, separator as string, -1),
		SPLITS,
	),
	overload(
		'string_split_string_int',
		'string::split(string, int): list(string)',
		(text, separator, limit) => splitText(text as string, separator as string, Number(limit as bigint)),
		SPLITS,
	),
	overload(
		'string_substring_int',
		'string::substring(int): string',
		(text, from) => substring(text as string, from, undefined),
		TRANSFORMS,
	),
	overload(
		'string_substring_int_int',
		'string::substring(int, int): string',
		(text, from, to) => substring(text as string, from, to),
		TRANSFORMS,
	),
	overload('string_trim', 'string::trim(): string', (text) => goTrim(text as string), TRANSFORMS),
	overload('list_join', 'list(string)::join(): string', (list) => texts(list).join(''), JOINS),
	overload('list_join_string', 'list(string)::join(string): string', (list, by) => texts(list).join(by as string), JOINS),
	overload('strings_quote', 'strings.quote(string): string', (text) => quote(text as string), QUOTES),
];
