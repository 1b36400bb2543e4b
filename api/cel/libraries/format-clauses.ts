/** The clauses of a text for format(): "%s", "%.2f", "%%"; who reads them says what stands in their place. */
import { EvalError } from '../errors.ts';

const VERBS = ['s', 'd', 'f', 'e', 'b', 'x', 'X', 'o'] as const;
export type Verb = (typeof VERBS)[number];

const isVerb = (text: string): text is Verb => (VERBS as readonly string[]).includes(text);

/** An argument that its clause does not take; `at` is for who knows where it stands. */
export class FormatError extends EvalError {
	readonly at: number | undefined;
	constructor(text: string, at?: number) {
		super(`error during formatting: ${text}`);
		this.at = at;
	}
}

const WHAT: Readonly<Record<Verb, string>> = {
	s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
	d: 'decimal clause can only be used on integers',
	f: 'fixed-point clause can only be used on doubles',
	e: 'scientific clause can only be used on doubles',
	b: 'only integers and bools can be formatted as binary',
	x: 'only integers, byte buffers, and strings can be formatted as hex',
	X: 'only integers, byte buffers, and strings can be formatted as hex',
	o: 'octal clause can only be used on integers',
};

export function unfit(verb: Verb, typeName: string, at?: number): FormatError {
	return new FormatError(`${WHAT[verb]}, was given ${typeName}`, at);
}

const CLAUSE = /%(?:(%)|(?:(\.)(\d*))?(.?))/gsu;

/**
 * The text with its clauses replaced.
 * @param require throws where there is no argument of that index
 */
export function interpolated(
	pattern: string,
	size: number,
	show: (verb: Verb, precision: number | undefined, index: number) => string,
	require: (index: number) => void,
): { readonly text: string; readonly used: number } {
	let index = 0;
	const text = pattern.replace(CLAUSE, (whole, percent?: string, dot?: string, digits = '', verb = '') => {
		if (percent !== undefined) return '%';
		require(index);
		if (whole === '%') throw new EvalError('unexpected end of string');
		if (index >= size) throw new EvalError(`index ${index} out of range`);
		const wrong = (why: string): EvalError => new EvalError(`could not parse formatting clause: ${why}`);
		if (verb === '') throw wrong('error while parsing precision: could not find end of precision specifier');
		if (dot !== undefined && digits === '')
			throw wrong('error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax');
		if (!isVerb(verb)) throw wrong(`unrecognized formatting clause "${verb}"`);
		return show(verb, dot === undefined ? undefined : Number(digits), index++);
	});
	return { text, used: index };
}
