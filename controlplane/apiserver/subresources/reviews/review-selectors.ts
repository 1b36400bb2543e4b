/** The selectors of an access review: what they pin down, and which of them made no sense (upstream's registry/authorization/util). Pure. */
import type { ResourceAttributes } from '../../../../api/gen/types.ts';
import { fieldTerms, labelTerms, type Selectors, type SelectorTerm } from '../../authz/selectors.ts';

export interface ReviewSelectors {
	/** Fields that must have one value. */
	readonly pinned: Readonly<Record<string, string>>;
	readonly selectors: () => Selectors;
	/** For the review's evaluationError. */
	readonly errors: readonly string[];
}

export function reviewSelectors({ fieldSelector, labelSelector }: ResourceAttributes): ReviewSelectors {
	const fields = read(fieldSelector, fieldTerms, isFieldTerm);
	const labels = read(labelSelector, labelTerms, isLabelTerm);
	const pinned = fields.terms.filter(({ operator }) => operator === 'In').map(({ key, values = [] }) => [key, values[0] ?? ''] as const);
	const selectors = (): Selectors => ({ fields: fields.terms, labels: labels.terms });
	return {
		pinned: Object.fromEntries(pinned),
		selectors,
		errors: [...problem('fieldSelector', fields), ...problem('labelSelector', labels)],
	};
}

interface Read {
	readonly terms: readonly SelectorTerm[];
	readonly wrong: boolean;
}

/** Selectors only narrow: what is not understood is left out. */
function problem(name: string, { terms, wrong }: Read): readonly string[] {
	if (!wrong) return [];
	return [`spec.resourceAttributes.${name} ${terms.length > 0 ? 'partially ignored' : 'ignored'} due to parse error`];
}

function read(
	selector: ResourceAttributes['fieldSelector'],
	parse: (text: string) => readonly SelectorTerm[],
	isTerm: (term: SelectorTerm) => boolean,
): Read {
	const { rawSelector = '', requirements = [] } = selector ?? {};
	if (rawSelector === '') {
		const terms = requirements.filter(isTerm);
		return { terms, wrong: terms.length < requirements.length };
	}
	try {
		return { terms: parse(rawSelector), wrong: false };
	} catch {
		return { terms: [], wrong: true };
	}
}

function isFieldTerm({ operator, values = [] }: SelectorTerm): boolean {
	return values.length === 1 && (operator === 'In' || operator === 'NotIn');
}

function isLabelTerm({ operator, values = [] }: SelectorTerm): boolean {
	const wantsValues = operator === 'In' || operator === 'NotIn';
	return (wantsValues || operator === 'Exists' || operator === 'DoesNotExist') && wantsValues === values.length > 0;
}
