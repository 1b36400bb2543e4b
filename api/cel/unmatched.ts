/** What is said of a call that no overload takes: by the function, or by the value that it is asked of. */
import { EvalError, NO_OVERLOAD } from './errors.ts';
import { typeNameOf, type Value } from './values.ts';

const NUMBERS = ['int', 'uint', 'double'];
const TIMES = ['google.protobuf.Duration', 'google.protobuf.Timestamp'];
const COMPARED = [...NUMBERS, ...TIMES, 'bool', 'bytes', 'string'];

/** Operators by the types whose values run them themselves. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
	'_+_': [...NUMBERS, ...TIMES, 'bytes', 'list', 'string'],
	'_-_': [...NUMBERS, ...TIMES],
	'_*_': NUMBERS,
	'_/_': NUMBERS,
	'_%_': ['int', 'uint'],
	'-_': ['int', 'double', 'bool'],
	'_<_': COMPARED,
	'_<=_': COMPARED,
	'_>_': COMPARED,
	'_>=_': COMPARED,
	size: ['bytes', 'list', 'map', 'string'],
};
/** Values of these refuse by themselves whatever they do not know. */
const RECEIVERS = new Set(['string', ...TIMES]);
/** Functions that look at their arguments themselves. */
const OWN = new Set(['@in', '!_', 'contains', 'startsWith', 'endsWith', 'matches']);

export function unmatched(fn: string, args: readonly Value[]): EvalError {
	const [first = null, second = null] = args;
	const type = typeNameOf(first);
	const operands = OPERANDS[fn];
	if (operands !== undefined) return new EvalError(operands.includes(type) || RECEIVERS.has(type) ? NO_OVERLOAD : `${NO_OVERLOAD}: ${fn}`);
	// A pattern that is written out is compiled beforehand, and the text looked at then.
	const isFind = (fn === 'find' || fn === 'findAll') && typeof second === 'string';
	if (OWN.has(fn) || isFind) return new EvalError(NO_OVERLOAD);
	return new EvalError(`${NO_OVERLOAD}: ${fn}(${args.map(typeNameOf).join(', ')})`);
}
