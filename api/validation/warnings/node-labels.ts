/** Labels of nodes that others have taken the place of, wherever something selects nodes by them (upstream's pkg/api/node). */
import type { LabelSelector, NodeSelectorTerm } from '../../gen/types.ts';
import { labelValue } from '../names.ts';

const DEPRECATED: ReadonlyMap<string, string> = new Map([
	['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
	['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
	['failure-domain.beta.kubernetes.io/region', 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
	['failure-domain.beta.kubernetes.io/zone', 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
	['beta.kubernetes.io/instance-type', 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
	['app.kubernetes.io/created-by', 'deprecated since v1.9'],
	['scheduler.alpha.kubernetes.io/preferAvoidPods', 'deprecated since v1.22; use Taints and Tolerations instead'],
	['node-role.kubernetes.io/master', 'use "node-role.kubernetes.io/control-plane" instead'],
]);

export function labelWarning(key: string): string | undefined {
	return DEPRECATED.get(key);
}

/** Of the keys that are deprecated, sorted. @param say from a key and what there is to say of it */
export function keyWarnings(keys: Iterable<string>, say: (key: string, text: string) => string): readonly string[] {
	return [...keys].toSorted().flatMap((key) => {
		const text = DEPRECATED.get(key);
		return text === undefined ? [] : [say(key, text)];
	});
}

interface Expression {
	readonly key: string;
	readonly values?: readonly string[] | undefined;
}

/** @param checkValues a value that no label can have selects nothing */
export function termWarnings(path: string, { matchExpressions = [] }: NodeSelectorTerm, checkValues: boolean): readonly string[] {
	return matchExpressions.flatMap(({ key, values = [] }: Expression, i) => {
		const at = `${path}.matchExpressions[${i}]`;
		const wrong = values.flatMap((value, j) => labelValue(value).map((text) => `${at}.values[${j}]: ${value} is invalid, ${text}`));
		return [...expressionWarnings(at, key), ...(checkValues ? wrong : [])];
	});
}

export function selectorWarnings(path: string, { matchExpressions = [], matchLabels = {} }: LabelSelector): readonly string[] {
	return [
		...matchExpressions.flatMap(({ key }, i) => expressionWarnings(`${path}.matchExpressions[${i}]`, key)),
		...keyWarnings(Object.keys(matchLabels), (key, text) => `${path}.matchLabels.${key}: ${text}`),
	];
}

function expressionWarnings(at: string, key: string): readonly string[] {
	const text = DEPRECATED.get(key);
	return text === undefined ? [] : [`${at}.key: ${key} is ${text}`];
}
