/** What selectors ask for in the words of SubjectAccessReviews. They only narrow: what is not understood is left out (upstream's webhook authorizer). Pure. */
import { parseFieldSelector } from '../../../api/selector/field.ts';
import { parseLabelSelector, type LabelRequirement } from '../../../api/selector/label-text.ts';

export interface SelectorTerm {
	readonly key: string;
	readonly operator: string;
	readonly values?: readonly string[] | undefined;
}

export interface Selectors {
	readonly fields: readonly SelectorTerm[];
	readonly labels: readonly SelectorTerm[];
}

/** @param fields, labels as in a query; empty for none */
export function selectorsOf(fields: string, labels: string): Selectors {
	return { fields: understood(() => fieldTerms(fields)), labels: understood(() => labelTerms(labels)) };
}

/** Throws StatusError BadRequest for what is no selector. */
export function fieldTerms(text: string): readonly SelectorTerm[] {
	return parseFieldSelector(text).map(({ field, operator, value }) => ({
		key: field,
		operator: operator === '!=' ? 'NotIn' : 'In',
		values: [value],
	}));
}

/** Throws StatusError BadRequest for what is no selector. */
export function labelTerms(text: string): readonly SelectorTerm[] {
	return parseLabelSelector(text).flatMap(({ key, operator, values }) => {
		const known = OPERATORS[operator];
		return known === undefined ? [] : [{ key, operator: known, ...(values.length === 0 ? {} : { values }) }];
	});
}

/** Comparisons have no word there. */
const OPERATORS: Readonly<Record<LabelRequirement['operator'], string | undefined>> = {
	...{ in: 'In', '=': 'In', '==': 'In', notin: 'NotIn', '!=': 'NotIn', exists: 'Exists', '!': 'DoesNotExist' },
	...{ gt: undefined, lt: undefined },
};

function understood(read: () => readonly SelectorTerm[]): readonly SelectorTerm[] {
	try {
		return read();
	} catch {
		return [];
	}
}
