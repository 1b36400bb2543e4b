/** Label selectors of objects (LabelSelector) against labels. Pure. The text form of queries is in label-text.ts. */
import type { LabelSelector } from '../gen/types.ts';
import { meets } from './requirement.ts';

type Labels = Readonly<Record<string, string>>;

/** An absent selector matches nothing, an empty one everything (apimachinery LabelSelectorAsSelector). */
export function matchesLabelSelector(selector: LabelSelector | null | undefined, labels: Labels): boolean {
	if (selector === undefined || selector === null) return false;
	return (
		matchesLabels(selector.matchLabels ?? {}, labels) &&
		(selector.matchExpressions ?? []).every(({ key, operator, values }) =>
			meets(operator, values, Object.hasOwn(labels, key) ? labels[key] : undefined),
		)
	);
}

/** Every label with its value (the map form of Services and ReplicationControllers). */
export function matchesLabels(wanted: Labels, labels: Labels): boolean {
	return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}
