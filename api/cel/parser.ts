/** Source to tree. */
import type { Expr } from './ast.ts';
import { Descent } from './descent.ts';
import { MAX_DEPTH, Wrong } from './grammar.ts';
import { CompileError, NOWHERE, type Issue } from './issues.ts';
import { tokensOf } from './lexer.ts';
import { syntaxFaults } from './syntax.ts';

export interface ParsedSource {
	readonly source: string;
	readonly expr: Expr;
}

/** cel-go's limit for a source, in code points. */
const MAX_SIZE = 100_000;

/** Rules of one kind that an expression goes through at most down to the next one inside: `1 + 2 * (`. They are counted, too. */
const CALCULATIONS = 3;

/** CompileError says what is wrong. @param binds `cel.bind(name, value, result)` is a macro */
export function parse(source: string, binds = false): ParsedSource {
	const size = source.length > MAX_SIZE ? [...source].length : source.length;
	if (size > MAX_SIZE) {
		const text = `expression code point size exceeds limit: size: ${size}, limit ${MAX_SIZE}`;
		throw new CompileError(source, [{ at: NOWHERE, text }]);
	}
	const { tokens, issues } = tokensOf(source);
	const descent = new Descent(tokens, binds);
	let wrong: Wrong | undefined;
	try {
		const expr = descent.whole();
		const isDeep = descent.deepest > MAX_DEPTH / CALCULATIONS;
		if (issues.length === 0 && descent.issues.length === 0 && !(isDeep && syntaxFaults(tokens, []).gaveUp)) return { source, expr };
	} catch (error) {
		if (!(error instanceof Wrong)) throw error;
		wrong = error;
	}
	const faults = syntaxFaults(tokens, issues);
	// Who gave up reading looks at nothing else.
	if (faults.gaveUp) throw new CompileError(source, faults.issues);
	const own: readonly Issue[] = wrong === undefined || (wrong.isSyntax && faults.issues.length > 0) ? [] : [wrong.issue];
	throw new CompileError(source, [...faults.issues, ...own, ...descent.issues]);
}
