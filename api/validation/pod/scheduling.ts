/** Where a pod may run: affinity, tolerations, topology spread, scheduling gates. */
import { duplicate, fieldForbidden, invalidValue, notSupported, required } from '../../field-error.ts';
import type { Affinity, PodAffinityTerm, PodSpec, Toleration } from '../../gen/types.ts';
import { dnsLabel, labelValue, qualifiedName } from '../names.ts';
import { oneOf, texts, Unique, type Errors } from '../rule.ts';
import { labelSelector, nodeSelector, nodeSelectorTerm, type Values } from '../selectors.ts';
import type { PodOptions } from './options.ts';

export const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
export const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
/** Of taints of nodes and of what tolerates them. */
export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function affinity(out: Errors, path: string, given: Affinity | undefined, options: PodOptions): void {
	const nodeValues: Values = options.has('nodeValues') ? 'any' : 'checked';
	const values: Values = options.has('affinityValues') ? 'any' : 'checked';
	const node = given?.nodeAffinity;
	if (node?.[REQUIRED] !== undefined) nodeSelector(out, `${path}.nodeAffinity.${REQUIRED}`, node[REQUIRED], nodeValues);
	for (const [i, { weight, preference }] of (node?.[PREFERRED] ?? []).entries()) {
		const at = `${path}.nodeAffinity.${PREFERRED}[${i}]`;
		weightInRange(out, `${at}.weight`, weight);
		// What is only preferred may name values that no label can have.
		nodeSelectorTerm(out, `${at}.preference`, preference, 'any');
	}
	for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
		for (const [i, term] of (given?.[kind]?.[REQUIRED] ?? []).entries())
			affinityTerm(out, `${path}.${kind}.${REQUIRED}[${i}]`, term, values);
		for (const [i, { weight, podAffinityTerm }] of (given?.[kind]?.[PREFERRED] ?? []).entries()) {
			const at = `${path}.${kind}.${PREFERRED}[${i}]`;
			weightInRange(out, `${at}.weight`, weight);
			affinityTerm(out, `${at}.podAffinityTerm`, podAffinityTerm, values);
		}
	}
}

function weightInRange(out: Errors, path: string, weight: number): void {
	if (weight <= 0 || weight > 100) out.push(invalidValue(path, weight, 'must be in the range 1-100'));
}

function affinityTerm(out: Errors, path: string, term: PodAffinityTerm, values: Values): void {
	labelSelector(out, `${path}.labelSelector`, term.labelSelector, values);
	labelSelector(out, `${path}.namespaceSelector`, term.namespaceSelector, values);
	for (const name of term.namespaces ?? []) texts(out, `${path}.namespace`, name, dnsLabel(name));
	matchKeys(out, path, term);
	if (term.topologyKey === '') out.push(required(`${path}.topologyKey`, 'can not be empty'));
	texts(out, `${path}.topologyKey`, term.topologyKey, qualifiedName(term.topologyKey));
}

/** Keys that stand in the selector by a value of the pod, and may not stand there by themselves. */
function matchKeys(
	out: Errors,
	at: string,
	{ matchLabelKeys = [], mismatchLabelKeys = [], labelSelector: selector }: Partial<PodAffinityTerm>,
): void {
	for (const [field, keys] of Object.entries({ matchLabelKeys, mismatchLabelKeys })) {
		if (keys.length === 0) continue;
		if (selector === undefined) out.push(fieldForbidden(`${at}.${field}`, 'must not be specified when labelSelector is not set'));
		else for (const [i, key] of keys.entries()) texts(out, `${at}.${field}[${i}]`, key, qualifiedName(key));
	}
	const named = new Set(Object.keys(selector?.matchLabels ?? {}));
	for (const { key } of selector?.matchExpressions ?? []) {
		const i = matchLabelKeys.lastIndexOf(key);
		if (i >= 0 && named.has(key)) out.push(invalidValue(`${at}[${i}]`, key, 'exists in both matchLabelKeys and labelSelector'));
		named.add(key);
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
		if (operator === 'Equal' || operator === '') joinedLabel(out, `${at}.operator`, value);
		else if (operator === 'Exists') {
			if (value !== '') out.push(invalidValue(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
		} else out.push(notSupported(`${at}.operator`, operator, operator === 'Lt' || operator === 'Gt' ? COMPARING : ['Equal', 'Exists']));
		if (effect !== '') oneOf(out, `${at}.effect`, effect, TAINT_EFFECTS);
	}
}

function joinedLabel(out: Errors, path: string, value: string): void {
	const complaints = labelValue(value);
	if (complaints.length > 0) out.push(invalidValue(path, value, complaints.join(';')));
}

export function topologySpread(out: Errors, path: string, { topologySpreadConstraints = [] }: PodSpec, options: PodOptions): void {
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
		matchKeys(out, at, { matchLabelKeys: constraint.matchLabelKeys, labelSelector: constraint.labelSelector });
		if (!options.has('spreadSelectors')) labelSelector(out, `${at}.labelSelector`, constraint.labelSelector);
	}
}

export function schedulingGates(out: Errors, path: string, { schedulingGates: gates = [] }: PodSpec): void {
	const seen = new Unique();
	for (const [i, { name }] of gates.entries()) {
		texts(out, `${path}[${i}]`, name, qualifiedName(name));
		seen.check(out, `${path}[${i}]`, name);
	}
}
