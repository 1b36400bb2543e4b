/** YAML in the style of Go's writer: sorted keys, lists no deeper than their key, long texts folded at 80 columns. */
import { doubleQuoted, isPrintable, WIDTH } from './yaml-double-quoted.ts';
import { compareYamlKeys } from './yaml-key-order.ts';

const WORDS = new Set(
	'y Y yes Yes YES on On ON n N no No NO off Off OFF true True TRUE false False FALSE ~ null Null NULL << .nan .NaN .NAN .inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF'.split(
		' ',
	),
);
const NUMBER = /^[-+]?(0x[0-9a-fA-F_]+|0b[01_]+|0o?[0-7_]+|[0-9][0-9_]*|(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?)$/;
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/;
const TIME = /^\d{4}-\d{1,2}-\d{1,2}([Tt ]\s*\d{1,2}:\d{1,2}:\d{1,2}(\.\d*)?\s*(Z|[-+]\d{1,2}(:?\d{2})?)?)?$/;

export function writeYaml(value: unknown): string {
	return `${block(value, 0)}\n`;
}

/** A value without its first indentation. */
function block(value: unknown, indent: number): string {
	if (typeof value === 'string') return text(value, indent, indent);
	if (typeof value !== 'object' || value === null) return String(value as number | boolean | bigint | null);
	const pad = ' '.repeat(indent);
	if (Array.isArray(value)) return value.length === 0 ? '[]' : value.map((item) => `- ${block(item, indent + 2)}`).join(`\n${pad}`);
	const keys = Object.keys(value).toSorted(compareYamlKeys);
	if (keys.length === 0) return '{}';
	return keys.map((key) => entry(key, (value as Record<string, unknown>)[key], indent)).join(`\n${pad}`);
}

function entry(key: string, value: unknown, indent: number): string {
	const name = text(key, indent, indent);
	if (typeof value === 'string') return `${name}: ${text(value, indent + 2, indent + name.length + 2)}`;
	const empty = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
	if (empty) return `${name}: ${block(value, indent)}`;
	const inner = Array.isArray(value) ? indent : indent + 2;
	return `${name}:\n${' '.repeat(inner)}${block(value, inner)}`;
}

/** @param indent of further lines; `column` is where the text starts */
function text(value: string, indent: number, column: number): string {
	if (!isPrintable(value) || value === '' || resolves(value)) return doubleQuoted(value, indent, column);
	if (value.includes('\n')) return literal(value, indent);
	if (isPlain(value)) return folded(value, indent, column);
	return `'${folded(value.replaceAll("'", "''"), indent, column + 1)}'`;
}

const resolves = (value: string): boolean => WORDS.has(value) || NUMBER.test(value) || SEXAGESIMAL.test(value) || TIME.test(value);

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
