/** What is wrong with a YAML text, as Go's reader says it: its scanner counts lines from one, its parser from zero, and neither names the first. */
import type { LineCounter, YAMLError } from 'yaml';

const CANNOT_START = 'found character that cannot start any token';
const NO_MAPPING = 'mapping values are not allowed in this context';
const NO_NODE = 'did not find expected node content';
const NO_KEY = 'did not find expected key';
/** As it is written there. */
const NO_HEX = 'did not find expected hexdecimal number';
const NO_COMMENT = 'did not find expected comment or line break';
const ZERO_INDENT = 'found an indentation indicator equal to 0';

export function goYamlError({ code, pos, message }: YAMLError, text: string, lines: LineCounter): string {
	const at = pos[0];
	const lineAt = (where: number): number => lines.linePos(where).line;
	const scanner = (line: number, problem: string): string => (line > 1 ? `line ${line}: ${problem}` : problem);
	const parser = (line: number, problem: string): string => (line > 1 ? `line ${line - 1}: ${problem}` : problem);
	const before = text.slice(0, at).trimEnd();
	switch (code) {
		case 'TAB_AS_INDENT':
		case 'BAD_SCALAR_START':
			return scanner(lineAt(at), CANNOT_START);
		case 'BAD_DQ_ESCAPE':
			return scanner(lineAt(at), /^.[xuU]/.test(text.slice(at)) ? NO_HEX : 'found unknown escape character');
		case 'BAD_ALIAS':
			return message.includes('empty')
				? scanner(lineAt(at), 'did not find expected alphabetic or numeric character')
				: parser(lineAt(at), NO_KEY);
		case 'TAG_RESOLVE_FAILED':
			return message.startsWith('Verbatim') ? scanner(lineAt(at), "did not find the expected '>'") : parser(lineAt(at), NO_KEY);
		case 'MULTILINE_IMPLICIT_KEY':
			return text.startsWith('- ', at) ? parser(lineAt(at), NO_KEY) : scanner(lineAt(pos[1]), NO_MAPPING);
		case 'BLOCK_AS_IMPLICIT_KEY': {
			if (message.includes('block sequence')) return parser(lineAt(at), NO_KEY);
			if (/^\s*\?\s/.test(text.slice(at))) return scanner(lineAt(at), 'mapping keys are not allowed in this context');
			const colon = text.slice(at).search(/:(?:\s|$)/);
			return scanner(lineAt(at + Math.max(colon, 0)), NO_MAPPING);
		}
		case 'BLOCK_IN_FLOW':
			return parser(lineAt(at), expectedEnd(text.lastIndexOf('{', at) > text.lastIndexOf('[', at) ? '}' : ']'));
		case 'UNEXPECTED_TOKEN':
			if (message.includes('block-seq-ind')) return scanner(lineAt(at), 'block sequence entries are not allowed in this context');
			if (message.startsWith('Unexpected , in flow')) return parser(lineAt(at), NO_NODE);
			if (message.includes('flow-')) return parser(lineAt(at), before === '' || before.endsWith(':') ? NO_NODE : NO_KEY);
			if (message.startsWith('Block scalar header')) return scanner(lineAt(at), /[|>][-+]?0/.test(message) ? ZERO_INDENT : NO_COMMENT);
			if (message.includes('scalar') && /['"]$/.test(before)) return parser(lineAt(at), NO_KEY);
			return message.includes('scalar at node end')
				? `line ${lineAt(at) + 1}: could not find expected ':'`
				: scanner(lineAt(at), CANNOT_START);
		case 'MISSING_CHAR':
		case 'BAD_INDENT': {
			if (message.includes('quote')) return scanner(lineAt(at), 'found unexpected end of stream');
			if (message.startsWith('Implicit')) return `line ${lineAt(at) + 1}: could not find expected ':'`;
			// A text that ends within a line ends on the next one; a colon without a key is where it goes wrong already.
			const past = at >= text.length && !text.endsWith('\n') && !/[{[,]\s*:$/.test(before) ? 1 : 0;
			if (message.startsWith('Flow')) return parser(lineAt(at) + past, /[[{,:]$/.test(before) ? NO_NODE : expectedEnd(message));
			const isList = /(?:^|\n)[ \t]*-[ \t][^\n]*$/.test(before);
			return parser(lineAt(at), isList ? "did not find expected '-' indicator" : NO_KEY);
		}
		default:
			return parser(lineAt(at), NO_KEY);
	}
}

/** What Go's reader takes: a comment that begins at the end of a quote. */
export function isError({ message }: YAMLError): boolean {
	return !message.startsWith('Comments must be separated');
}

function expectedEnd(message: string): string {
	return `did not find expected ',' or '${message.endsWith('}') ? '}' : ']'}'`;
}
