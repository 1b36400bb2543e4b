/** Label selectors of objects (LabelSelector) against labels. Pure. The text form of queries is in label-text.ts. */
import type { LabelSelector, LabelSelectorRequirement } from '../gen/types.ts';

type Labels = Readonly<Record<string, string>>;

/** An absent selector matches nothing, an empty one everything (apimachinery LabelSelectorAsSelector). */
export function matchesLabelSelector(selector: LabelSelector | null | undefined, labels: Labels): boolean {
	if (selector === undefined || selector === null) return false;
	return matchesLabels(selector.matchLabels ?? {}, labels) && (selector.matchExpressions ?? []).every((r) => matchesRequirement(r, labels));
}

/** Every label with its value (the map form of Services and ReplicationControllers). */
export function matchesLabels(wanted: Labels, labels: Labels): boolean {
	return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

function matchesRequirement({ key, operator, values }: LabelSelectorRequirement, labels: Labels): boolean {
	const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
	switch (operator) {
		case 'In':
			return value !== undefined && (values ?? []).includes(value);
		case 'NotIn':
			return value === undefined || !(values ?? []).includes(value);
		case 'Exists':
			return value !== undefined;
		case 'DoesNotExist':
			return value === undefined;
		default:
			return false; // validation lets no other operator in
	}
}
