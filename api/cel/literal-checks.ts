/** Literals that can only fail when they run are refused at once: durations, timestamps and patterns. */
import type { Expr } from './ast.ts';
import { childrenOf } from './ast.ts';
import type { Checked } from './checker.ts';
import type { Issue } from './issues.ts';
import { EvalError } from './errors.ts';
import type { Value } from './values.ts';

const CHECKED: Readonly<Record<string, { readonly argument: number; readonly what: string }>> = {
	duration: { argument: 0, what: 'duration' },
	timestamp: { argument: 0, what: 'timestamp' },
	matches: { argument: 0, what: 'matches' },
};

export function validateLiterals(expr: Expr, checked: Checked): readonly Issue[] {
	const issues: Issue[] = [];
	visit(expr, checked, issues);
	return issues;
}

function visit(expr: Expr, checked: Checked, issues: Issue[]): void {
	for (const child of childrenOf(expr)) visit(child, checked, issues);
	if (expr.type !== 'call') return;
	const rule = CHECKED[expr.fn];
	const literal = rule === undefined ? undefined : expr.args[expr.fn === 'matches' && expr.target === undefined ? 1 : rule.argument];
	if (rule === undefined || literal?.type !== 'const' || typeof literal.value !== 'string') return;
	const [overload] = checked.overloads.get(expr.id) ?? [];
	if (overload === undefined) return;
	try {
		const args: Value[] = expr.fn === 'matches' ? ['', literal.value] : [literal.value];
		overload.call(...args);
	} catch (error) {
		if (!(error instanceof EvalError)) throw error;
		issues.push({ at: literal.at, text: `invalid ${rule.what} argument` });
	}
}
