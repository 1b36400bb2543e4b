/** What types alone do not tell and only the literals of an expression do: upstream's validators, run on what checks. */
import type { Expr } from './ast.ts';
import { childrenOf } from './ast.ts';
import type { Checked } from './checker.ts';
import type { Issue } from './issues.ts';
import { EvalError } from './errors.ts';
import { formatIssue } from './format-checks.ts';
import { patternOf } from './libraries/pattern.ts';
import { mixedLiterals } from './literal-types.ts';
import type { Value } from './values.ts';

export function validateLiterals(expr: Expr, checked: Checked): readonly Issue[] {
	const issues: Issue[] = [...mixedLiterals(expr, checked)];
	visit(expr, checked, issues);
	return issues;
}

const CONVERSIONS = new Set(['duration', 'timestamp']);

function visit(expr: Expr, checked: Checked, issues: Issue[]): void {
	for (const child of childrenOf(expr)) visit(child, checked, issues);
	if (expr.type !== 'call') return;
	const { fn, args } = expr;
	const [first] = args;
	if (fn === 'format') {
		const issue = formatIssue(expr, checked);
		if (issue !== undefined) issues.push(issue);
	} else if (first?.type === 'const' && (CONVERSIONS.has(fn) || fn === 'matches') && !isSound(expr.id, fn, first.value, checked))
		issues.push({ at: first.at, text: `invalid ${fn} argument` });
}

/** Of matches(text, pattern) upstream reads the text as the pattern. */
function isSound(id: number, fn: string, value: Value, checked: Checked): boolean {
	try {
		if (fn === 'matches') patternOf(value as string);
		else checked.overloads.get(id)?.[0]?.call(value);
		return true;
	} catch (error) {
		if (error instanceof EvalError) return false;
		throw error;
	}
}
