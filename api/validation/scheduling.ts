/** Where a pod may run: affinity, tolerations, topology spread, scheduling gates. */
import { duplicate, fieldForbidden, invalidValue, required } from '../field-error.ts';
import type { Affinity, LabelSelector, PodAffinityTerm, PodSpec, Toleration } from '../gen/types.ts';
import { dnsLabel, labelValue, qualifiedName } from './names.ts';
import { oneOf, present, texts, Unique, type Errors } from './rule.ts';
import { labelSelector, nodeSelectorTerm } from './selectors.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function affinity(out: Errors, path: string, given: Affinity | undefined): void {
	const node = given?.nodeAffinity;
	if (node?.[REQUIRED] !== undefined) {
		const at = `${path}.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
		const terms = node[REQUIRED].nodeSelectorTerms;
		if (present(out, at, terms, 'must have at least one node selector term'))
			for (const [i, term] of terms.entries()) nodeSelectorTerm(out, `${at}[${i}]`, term);
	}
	for (const [i, { weight, preference }] of (node?.[PREFERRED] ?? []).entries()) {
		const at = `${path}.nodeAffinity.${PREFERRED}[${i}]`;
		weightInRange(out, `${at}.weight`, weight);
		nodeSelectorTerm(out, `${at}.preference`, preference);
	}
	for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
		for (const [i, term] of (given?.[kind]?.[REQUIRED] ?? []).entries()) affinityTerm(out, `${path}.${kind}.${REQUIRED}[${i}]`, term);
		for (const [i, { weight, podAffinityTerm }] of (given?.[kind]?.[PREFERRED] ?? []).entries()) {
			const at = `${path}.${kind}.${PREFERRED}[${i}]`;
			weightInRange(out, `${at}.weight`, weight);
			affinityTerm(out, `${at}.podAffinityTerm`, podAffinityTerm);
		}
	}
}

function weightInRange(out: Errors, path: string, weight: number): void {
	if (weight <= 0 || weight > 100) out.push(invalidValue(path, weight, 'must be in the range 1-100'));
}

function affinityTerm(out: Errors, path: string, term: PodAffinityTerm): void {
	labelSelector(out, `${path}.labelSelector`, term.labelSelector);
	labelSelector(out, `${path}.namespaceSelector`, term.namespaceSelector);
	keysOfTerm(out, path, term);
	for (const name of term.namespaces ?? []) texts(out, `${path}.namespace`, name, dnsLabel(name));
	if (term.topologyKey === '') out.push(required(`${path}.topologyKey`, 'can not be empty'));
	texts(out, `${path}.topologyKey`, term.topologyKey, qualifiedName(term.topologyKey));
}

/** Keys that stand in the selector by a value of the pod, and may not stand there by themselves. */
function matchKeys(out: Errors, at: string, keys: readonly string[], selector: LabelSelector | undefined): void {
	if (keys.length === 0) return;
	if (selector === undefined) out.push(fieldForbidden(`${at}.matchLabelKeys`, 'must not be specified when labelSelector is not set'));
	const named = selectorKeys(selector);
	for (const [i, key] of keys.entries()) {
		texts(out, `${at}.matchLabelKeys[${i}]`, key, qualifiedName(key));
		if ((named.get(key) ?? 0) > 1) out.push(invalidValue(`${at}[${i}]`, key, 'exists in both matchLabelKeys and labelSelector'));
	}
}

/** How often a selector names a key; once is from the match keys themselves. */
function selectorKeys(selector: LabelSelector | undefined): ReadonlyMap<string, number> {
	const count = new Map<string, number>();
	const add = (key: string): void => void count.set(key, (count.get(key) ?? 0) + 1);
	for (const key of Object.keys(selector?.matchLabels ?? {})) add(key);
	for (const { key } of selector?.matchExpressions ?? []) add(key);
	return count;
}

function keysOfTerm(
	out: Errors,
	at: string,
	{ matchLabelKeys = [], mismatchLabelKeys = [], labelSelector: selector }: PodAffinityTerm,
): void {
	for (const [field, keys] of [
		['matchLabelKeys', matchLabelKeys],
		['mismatchLabelKeys', mismatchLabelKeys],
	] as const) {
		if (keys.length === 0) continue;
		if (selector === undefined) out.push(fieldForbidden(`${at}.${field}`, 'must not be specified when labelSelector is not set'));
		const named = selectorKeys(selector);
		for (const [i, key] of keys.entries()) {
			texts(out, `${at}.${field}[${i}]`, key, qualifiedName(key));
			if (field === 'matchLabelKeys' && (named.get(key) ?? 0) > 1)
				out.push(invalidValue(`${at}[${i}]`, key, 'exists in both matchLabelKeys and labelSelector'));
		}
	}
	for (const [i, key] of matchLabelKeys.entries())
		if (mismatchLabelKeys.includes(key))
			out.push(invalidValue(`${at}.matchLabelKeys[${i}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys'));
}

/** Listed as supported although they are not. */
const COMPARING = ['Equal', 'Exists', 'Lt', 'Gt'];

export function tolerations(out: Errors, path: string, list: readonly Toleration[]): void {
	for (const [i, { key = '', operator = '', value = '', effect = '', tolerationSeconds }] of list.entries()) {
		const at = `${path}[${i}]`;
		if (key !== '') texts(out, `${at}.key`, key, qualifiedName(key));
		if (key === '' && operator !== 'Exists')
			out.push(
				invalidValue(
					`${at}.operator`,
					operator,
					'operator must be Exists when `key` is empty, which means "match all values and all keys"',
				),
			);
		if (tolerationSeconds !== undefined && effect !== 'NoExecute')
			out.push(invalidValue(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
		if (operator === 'Equal' || operator === '') texts(out, `${at}.operator`, value, labelValue(value));
		else if (operator === 'Exists') {
			if (value !== '') out.push(invalidValue(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
		} else oneOf(out, `${at}.operator`, operator, operator === 'Lt' || operator === 'Gt' ? COMPARING : ['Equal', 'Exists']);
		if (effect !== '') oneOf(out, `${at}.effect`, effect, EFFECTS);
	}
}

export function topologySpread(out: Errors, path: string, { topologySpreadConstraints = [] }: PodSpec): void {
	for (const [i, constraint] of topologySpreadConstraints.entries()) {
		const at = `${path}[${i}]`;
		const { maxSkew, topologyKey, whenUnsatisfiable, minDomains } = constraint;
		if (maxSkew <= 0) out.push(invalidValue(`${at}.maxSkew`, maxSkew, 'must be greater than zero'));
		if (topologyKey === '') out.push(required(`${at}.topologyKey`, 'can not be empty'));
		oneOf(out, `${at}.whenUnsatisfiable`, whenUnsatisfiable, ['DoNotSchedule', 'ScheduleAnyway']);
		const again = topologySpreadConstraints
			.slice(i + 1)
			.some((c) => c.topologyKey === topologyKey && c.whenUnsatisfiable === whenUnsatisfiable);
		if (again) out.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
		if (minDomains !== undefined) {
			if (minDomains <= 0) out.push(invalidValue(`${at}.minDomains`, minDomains, 'must be greater than zero'));
			if (whenUnsatisfiable !== 'DoNotSchedule')
				out.push(
					invalidValue(
						`${at}.minDomains`,
						minDomains,
						`can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`,
					),
				);
		}
		oneOf(out, `${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, ['Honor', 'Ignore']);
		oneOf(out, `${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, ['Honor', 'Ignore']);
		matchKeys(out, at, constraint.matchLabelKeys ?? [], constraint.labelSelector);
		labelSelector(out, `${at}.labelSelector`, constraint.labelSelector);
	}
}

export function schedulingGates(out: Errors, path: string, { schedulingGates: gates = [] }: PodSpec): void {
	const seen = new Unique();
	for (const [i, { name }] of gates.entries()) {
		texts(out, `${path}[${i}]`, name, qualifiedName(name));
		seen.check(out, `${path}[${i}]`, name);
	}
}
