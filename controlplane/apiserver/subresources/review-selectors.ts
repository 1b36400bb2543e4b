/** The selectors of an access review: what they pin down, and which of them made no sense (upstream's registry/authorization/util). Pure. */
import type { ResourceAttributes } from '../../../api/gen/types.ts';
import { parseFieldSelector } from '../../../api/selector/field.ts';
import { parseLabelSelector } from '../../../api/selector/label-text.ts';

export interface ReviewSelectors {
	/** Fields that must have one value. */
	readonly pinned: Readonly<Record<string, string>>;
	/** For the review's evaluationError. */
	readonly errors: readonly string[];
}

const LABEL_OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

export function reviewSelectors({ fieldSelector, labelSelector }: ResourceAttributes): ReviewSelectors {
	const fields = fieldsOf(fieldSelector);
	const labels = labelsOf(labelSelector);
	return { pinned: fields.pinned, errors: [...problem('fieldSelector', fields), ...problem('labelSelector', labels)] };
}

interface Read {
	readonly understood: number;
	readonly wrong: boolean;
}

/** Selectors only narrow: what is not understood is left out. */
function problem(name: string, { understood, wrong }: Read): readonly string[] {
	if (!wrong) return [];
	return [`spec.resourceAttributes.${name} ${understood > 0 ? 'partially ignored' : 'ignored'} due to parse error`];
}

function fieldsOf(selector: ResourceAttributes['fieldSelector']): Read & { readonly pinned: Record<string, string> } {
	const { rawSelector = '', requirements = [] } = selector ?? {};
	const pinned: Record<string, string> = {};
	if (rawSelector !== '') {
		try {
			const parsed = parseFieldSelector(rawSelector);
			for (const { field, operator, value } of parsed) if (operator !== '!=') pinned[field] = value;
			return { pinned, understood: parsed.length, wrong: false };
		} catch {
			return { pinned, understood: 0, wrong: true };
		}
	}
	let understood = 0;
	for (const { key, operator, values = [] } of requirements) {
		if (values.length !== 1 || (operator !== 'In' && operator !== 'NotIn')) continue;
		understood++;
		if (operator === 'In') pinned[key] = values[0] ?? '';
	}
	return { pinned, understood, wrong: understood < requirements.length };
}

function labelsOf(selector: ResourceAttributes['labelSelector']): Read {
	const { rawSelector = '', requirements = [] } = selector ?? {};
	if (rawSelector !== '') {
		try {
			return { understood: parseLabelSelector(rawSelector).length, wrong: false };
		} catch {
			return { understood: 0, wrong: true };
		}
	}
	const understood = requirements.filter(({ operator, values = [] }) => {
		const wantsValues = operator === 'In' || operator === 'NotIn';
		return LABEL_OPERATORS.includes(operator) && wantsValues === values.length > 0;
	}).length;
	return { understood, wrong: understood < requirements.length };
}
