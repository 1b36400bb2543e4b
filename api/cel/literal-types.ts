/** Lists and maps written out hold one type each, except where format() takes them. */
import { childrenOf, type Expr } from './ast.ts';
import { sameType } from './assignable.ts';
import type { Checked } from './checker.ts';
import type { Issue } from './issues.ts';
import { DYN, typeName, type Type } from './types.ts';

export function mixedLiterals(expr: Expr, { types }: Checked): readonly Issue[] {
	const issues: Issue[] = [];
	const typeOf = ({ id }: Expr, optional: boolean): Type => {
		const type = types.get(id) ?? DYN;
		return optional && type.kind === 'opaque' ? (type.params[0] ?? DYN) : type;
	};
	/** Says whether it is another type than the first. */
	const differs = (first: Type, value: Expr, type: Type): boolean => {
		const other = !sameType(first, type);
		if (other) issues.push({ at: value.at, text: `expected type '${typeName(first)}' but found '${typeName(type)}'` });
		return other;
	};
	const visit = (node: Expr): void => {
		if (node.type === 'call' && node.fn === 'format') return;
		if (node.type === 'list') {
			const [first, ...others] = node.items.map((item, i) => ({ item, type: typeOf(item, node.optional.has(i)) }));
			others.some(({ item, type }) => differs((first as { type: Type }).type, item, type));
		} else if (node.type === 'map') {
			const [first, ...others] = node.entries;
			if (first !== undefined)
				for (const { key, value, optional } of others) {
					differs(typeOf(first.key, false), key, typeOf(key, false));
					differs(typeOf(first.value, first.optional), value, typeOf(value, optional));
				}
		}
		for (const child of childrenOf(node)) visit(child);
	};
	visit(expr);
	return issues;
}
