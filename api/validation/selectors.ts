/** Label selectors, node selectors and taints' tolerations. */
import { fieldForbidden, invalidValue, required } from '../field-error.ts';
import type { LabelSelector, LabelSelectorRequirement, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '../gen/types.ts';
import { dnsSubdomain, labelValue, qualifiedName } from './names.ts';
import { labels } from './metadata.ts';
import { present, texts, type Errors } from './rule.ts';

const MANY = new Set(['In', 'NotIn']);
const NONE = new Set(['Exists', 'DoesNotExist']);

/** May values be such as no label can have? They may where they were so before. */
export type Values = 'checked' | 'any';

export function labelSelector(out: Errors, path: string, selector: LabelSelector | undefined | null, values: Values = 'checked'): void {
	if (selector === undefined || selector === null) return;
	labels(out, `${path}.matchLabels`, selector.matchLabels);
	for (const [i, one] of (selector.matchExpressions ?? []).entries())
		labelRequirement(out, `${path}.matchExpressions[${i}]`, one, 'refused', values);
}

/** Has one of its expressions a value that no label can have? */
export function hasWrongValue(selector: LabelSelector | undefined | null): boolean {
	return (selector?.matchExpressions ?? []).some(({ values = [] }) => values.some((value) => labelValue(value).length > 0));
}

/** Is anything wrong with it, as it would be told of a new one? */
export function isWrongSelector(selector: LabelSelector | undefined | null): boolean {
	const found: Errors = [];
	labelSelector(found, '', selector);
	return found.length > 0;
}

/** How values of selectors are judged where these were there before. */
export function valuesAfter(...before: readonly (LabelSelector | undefined | null)[]): Values {
	return before.some(isWrongSelector) ? 'any' : 'checked';
}

/** Has one of its expressions a value that no label of a node can have? */
export function hasWrongNodeValue(selector: NodeSelector | undefined): boolean {
	return (selector?.nodeSelectorTerms ?? []).some(({ matchExpressions = [] }) =>
		matchExpressions.some(({ values = [] }) => values.some((value) => labelValue(value).length > 0)),
	);
}

/** @param unknown what is said of an operator that is none: nothing where newer clients may know more */
export function labelRequirement(
	out: Errors,
	at: string,
	one: LabelSelectorRequirement,
	unknown: 'refused' | 'allowed' = 'refused',
	checked: Values = 'checked',
): void {
	const { key, values = [] } = one;
	if (!operatorValues(out, at, one) && unknown === 'refused')
		out.push(invalidValue(`${at}.operator`, one.operator, 'not a valid selector operator'));
	texts(out, `${at}.key`, key, qualifiedName(key));
	if (checked === 'any') return;
	for (const [j, value] of values.entries()) texts(out, `${at}.values[${j}]`, value, labelValue(value));
}

/** As many values as the operator of a selector takes; false for an operator that is none. */
export function operatorValues(out: Errors, at: string, { operator, values = [] }: Omit<LabelSelectorRequirement, 'key'>): boolean {
	if (MANY.has(operator)) {
		if (values.length === 0) out.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
	} else if (NONE.has(operator)) {
		if (values.length > 0) out.push(fieldForbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
	} else return false;
	return true;
}

/** Does the selector pick these labels? Undefined for one that makes no sense. */
export function selects(selector: LabelSelector | undefined | null, given: Readonly<Record<string, string>>): boolean | undefined {
	if (selector === undefined || selector === null) return false;
	let matches = true;
	for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
		if (qualifiedName(key).length > 0 || labelValue(value).length > 0) return undefined;
		if (given[key] !== value) matches = false;
	}
	for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
		if (MANY.has(operator) ? values.length === 0 : !NONE.has(operator) || values.length > 0) return undefined;
		if (qualifiedName(key).length > 0 || values.some((value) => labelValue(value).length > 0)) return undefined;
		const value = given[key];
		const inside = value !== undefined && values.includes(value);
		if (operator === 'In' ? !inside : operator === 'NotIn' ? inside : (operator === 'Exists') !== (value !== undefined)) matches = false;
	}
	return matches;
}

export function nodeSelector(out: Errors, path: string, { nodeSelectorTerms }: NodeSelector, values: Values = 'checked'): void {
	const at = `${path}.nodeSelectorTerms`;
	if (!present(out, at, nodeSelectorTerms, 'must have at least one node selector term')) return;
	for (const [i, term] of nodeSelectorTerms.entries()) nodeSelectorTerm(out, `${at}[${i}]`, term, values);
}

export function nodeSelectorTerm(out: Errors, path: string, term: NodeSelectorTerm, values: Values = 'checked'): void {
	for (const [i, requirement] of (term.matchExpressions ?? []).entries()) {
		const at = `${path}.matchExpressions[${i}]`;
		nodeRequirement(out, at, requirement);
		texts(out, `${at}.key`, requirement.key, qualifiedName(requirement.key));
		if (values === 'any') continue;
		for (const [j, value] of (requirement.values ?? []).entries()) texts(out, `${at}.values[${j}]`, value, labelValue(value));
	}
	for (const [i, { key, operator, values: names = [] }] of (term.matchFields ?? []).entries()) {
		const at = `${path}.matchFields[${i}]`;
		if (operator === 'In' || operator === 'NotIn') {
			if (names.length !== 1)
				out.push(required(`${at}.values`, `must be only one value when \`operator\` is 'In' or 'NotIn' for node field selector`));
		} else out.push(invalidValue(`${at}.operator`, operator, 'not a valid selector operator'));
		if (key !== 'metadata.name') out.push(invalidValue(`${at}.key`, key, 'not a valid field selector key'));
		else for (const [j, name] of names.entries()) texts(out, `${at}.values[${j}]`, name, dnsSubdomain(name));
	}
}

function nodeRequirement(out: Errors, at: string, one: NodeSelectorRequirement): void {
	if (operatorValues(out, at, one)) return;
	const { operator, values = [] } = one;
	if (operator !== 'Gt' && operator !== 'Lt') out.push(invalidValue(`${at}.operator`, operator, 'not a valid selector operator'));
	else if (values.length !== 1) out.push(required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
}
