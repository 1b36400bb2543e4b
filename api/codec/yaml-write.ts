/** YAML in the style of Go's writer: sorted keys, lists no deeper than their key, long texts folded at 80 columns. */
import { goNumber } from '../go-float.ts';
import { doubleQuoted, isPrintable, WIDTH } from './yaml-double-quoted.ts';
import { compareYamlKeys } from './yaml-key-order.ts';

const WORDS = new Set(
	'y Y yes Yes YES on On ON n N no No NO off Off OFF true True TRUE false False FALSE ~ null Null NULL << .nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF'.split(
		' ',
	),
);
const NUMBER = /^[-+]?(0x[\da-f]+|0b[01]+|0o?[0-7]+|(\.\d+|\d+(\.\d*)?)(e[-+]?\d+)?)$/i;
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/;
const TIME = /^\d{4}-\d{1,2}-\d{1,2}([Tt ]\s*\d{1,2}:\d{1,2}:\d{1,2}(\.\d*)?(\s*(Z|[-+]\d{1,2}(:?\d{2})?))?)?$/;

const BREAK = /[\r\n\u0085\u2028\u2029]/;
/** Lines that end in spaces make no block (yaml_emitter_analyze_scalar). */
const NO_BLOCK = / (\n|$)/;
const INT_BITS = 64;
const MAX_SIMPLE_KEY_BYTES = 128;
/** The column of what is never long enough to be folded. */
const NO_FOLDING = Number.NEGATIVE_INFINITY;

export function writeYaml(value: unknown): string {
	return `${block(value, 0)}\n`;
}

/** A value without its first indentation. */
function block(value: unknown, indent: number): string {
	if (typeof value === 'string') return text(value, indent, indent);
	if (typeof value === 'number' || typeof value === 'bigint') return number(value);
	if (typeof value !== 'object' || value === null) return String(value as boolean | null);
	const pad = ' '.repeat(indent);
	if (Array.isArray(value)) return value.length === 0 ? '[]' : value.map((item) => `- ${block(item, indent + 2)}`).join(`\n${pad}`);
	const keys = Object.keys(value).toSorted(compareYamlKeys);
	if (keys.length === 0) return '{}';
	return keys.map((key) => entry(key, (value as Record<string, unknown>)[key], indent)).join(`\n${pad}`);
}

/** Go's writer knows integers up to those of 64 bits without a sign. */
const number = (value: number | bigint): string =>
	typeof value === 'bigint' && BigInt.asUintN(INT_BITS, value) === value ? String(value) : goNumber(value);

function entry(key: string, value: unknown, indent: number): string {
	if (!isSimpleKey(key)) return complexEntry(key, value, indent);
	const name = text(key, indent, NO_FOLDING);
	if (typeof value === 'string') return `${name}: ${text(value, indent + 2, indent + name.length + 2)}`;
	const empty = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
	if (empty) return `${name}: ${block(value, indent)}`;
	const inner = Array.isArray(value) ? indent : indent + 2;
	return `${name}:\n${' '.repeat(inner)}${block(value, inner)}`;
}

/** A key that YAML takes for one without a mark before it: on one line, and not too long (yaml_emitter_check_simple_key). */
const isSimpleKey = (key: string): boolean => Buffer.byteLength(key) <= MAX_SIMPLE_KEY_BYTES && !BREAK.test(key);

/** The key and its value each behind a mark of its own, the value no less deep for being a list. */
function complexEntry(key: string, value: unknown, indent: number): string {
	const inner = indent + 2;
	return `? ${text(key, inner, inner)}\n${' '.repeat(indent)}: ${block(value, inner)}`;
}

/** @param indent of further lines; `column` is where the text starts */
function text(value: string, indent: number, column: number): string {
	if (!isPrintable(value) || value === '' || resolves(value)) return doubleQuoted(value, indent, column);
	if (value.includes('\n')) return NO_BLOCK.test(value) ? doubleQuoted(value, indent, column) : literal(value, indent);
	if (isPlain(value)) return folded(value, indent, column);
	return `'${folded(value.replaceAll("'", "''"), indent, column + 1)}'`;
}

function resolves(value: string): boolean {
	if (WORDS.has(value)) return true;
	if (value.startsWith('.')) return NUMBER.test(value);
	// Underscores are nothing inside of a number that begins with a digit or a sign.
	return /^[-+\d]/.test(value) && (NUMBER.test(value.replaceAll('_', '')) || SEXAGESIMAL.test(value) || TIME.test(value));
}

function isPlain(value: string): boolean {
	return !/^[#,[\]{}&*!|>'"%@`]|^[-?:]( |$)|^---|^\.\.\.|^ | $|:( |$)| #/.test(value);
}

function literal(value: string, indent: number): string {
	const chomping = value.endsWith('\n\n') || value === '\n' ? '+' : value.endsWith('\n') ? '' : '-';
	const pad = ' '.repeat(indent);
	const lines = value.replace(/\n$/, '').split('\n');
	const hint = /^[ \n]/.test(value) ? '2' : '';
	return `|${hint}${chomping}\n${lines.map((line) => (line === '' ? '' : pad + line)).join('\n')}`;
}

/** A line ends at the first single space after the width. */
function folded(value: string, indent: number, start: number): string {
	if (start + value.length <= WIDTH) return value;
	let out = '';
	let column = start;
	for (let i = 0; i < value.length; i++) {
		const char = value[i] as string;
		const single = char === ' ' && i > 0 && i < value.length - 1 && value[i - 1] !== ' ' && value[i + 1] !== ' ';
		if (single && column > WIDTH) {
			out += `\n${' '.repeat(indent)}`;
			column = indent;
		} else {
			out += char;
			column++;
		}
	}
	return out;
}
