/** Calls of format() on a literal text with a literal list: that every clause has an argument of a type that it takes. */
import type { CallExpr, Expr } from './ast.ts';
import type { Checked } from './checker.ts';
import { EvalError } from './errors.ts';
import type { Issue } from './issues.ts';
import { FormatError, interpolated, unfit, type Verb } from './libraries/format-clauses.ts';
import { DYN, runtimeName, type Type } from './types.ts';

const TAKEN: Readonly<Record<Verb, readonly Type['kind'][]>> = {
	s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
	d: ['int', 'uint'],
	f: ['double', 'string'],
	e: ['double', 'string'],
	b: ['int', 'uint', 'bool'],
	x: ['int', 'uint', 'string', 'bytes'],
	X: ['int', 'uint', 'string', 'bytes'],
	o: ['int', 'uint'],
};

/** Undefined: nothing is wrong, or nothing is known before it runs. */
export function formatIssue({ target, args: [list], at }: CallExpr, { types }: Checked): Issue | undefined {
	if (target?.type !== 'const' || typeof target.value !== 'string' || list?.type !== 'list') return undefined;
	const { items } = list;
	const refuse = (verb: Verb, item: Expr): void => {
		const type = types.get(item.id) ?? DYN;
		if (type.kind !== 'dyn' && !TAKEN[verb].includes(type.kind)) throw unfit(verb, runtimeName(type), item.at);
		if (verb !== 's') return;
		const inner = item.type === 'list' ? item.items : item.type === 'map' ? item.entries.flatMap(({ key, value }) => [key, value]) : [];
		for (const each of inner) refuse(verb, each);
	};
	try {
		const { used } = interpolated(
			target.value,
			items.length,
			(verb, _precision, index) => {
				refuse(verb, items[index] as Expr);
				return '';
			},
			() => undefined,
		);
		if (items.length <= used) return undefined;
		return { at, text: `too many arguments supplied to string.format (expected ${used}, got ${items.length})` };
	} catch (error) {
		if (!(error instanceof EvalError)) throw error;
		return { at: (error instanceof FormatError ? error.at : undefined) ?? at, text: error.message };
	}
}
