/** YAML text to a document with time and memory that its size bounds: only as much is read as counts, and nothing nests without end. */
import {
	Composer,
	Lexer,
	Parser,
	type Document,
	type DocumentOptions,
	type LineCounter,
	type ParseOptions,
	type SchemaOptions,
} from 'yaml';
import { AppError } from '../../base/errors.ts';
import { MAX_DEPTH } from './depth.ts';

export type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

export function tooDeep(): AppError {
	return new AppError('InvalidArgument', `yaml: exceeded max depth of ${MAX_DEPTH}`);
}

/** The first document, with its errors; undefined where there is none. */
export function firstDocument(text: string, options: YamlOptions & { readonly lineCounter: LineCounter }): Document | undefined {
	refuseDeep(text);
	const parser = new Parser(options.lineCounter.addNewLine);
	const traces = Error.stackTraceLimit;
	// What is badly wrong has an error at every character, which nobody reads.
	Error.stackTraceLimit = 0;
	try {
		for (const document of new Composer(options).compose(parser.parse(text))) return document;
		return undefined;
	} finally {
		Error.stackTraceLimit = traces;
	}
}

/** Indicators one after the other, each a level; anchors and tags may stand between. */
const SUSPICIOUS = /(?:[-?:][ \t]+(?:[&!]\S*[ \t]+)?){50}/;
const SPACE = /^[ \t&!]/;

/** The reader's time grows with the square of the depth. */
function refuseDeep(text: string): void {
	let brackets = 0;
	for (let at = 0; at < text.length && brackets <= MAX_DEPTH; at++) {
		const code = text.charCodeAt(at);
		if (code === 0x5b || code === 0x7b) brackets++;
	}
	if (brackets <= MAX_DEPTH && !SUSPICIOUS.test(text)) return;
	let [depth, inRow] = [0, 0];
	for (const token of new Lexer().lex(text)) {
		if (token === '[' || token === '{') depth++;
		else if (token === ']' || token === '}') depth--;
		if (token === '-' || token === '?' || token === ':') inRow++;
		else if (!SPACE.test(token)) inRow = 0;
		if (depth > MAX_DEPTH || inRow > MAX_DEPTH) throw tooDeep();
	}
}
