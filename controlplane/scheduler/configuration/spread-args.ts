/** Default constraints of PodTopologySpread: their fields, and what is wrong with them. Pure. */
import type { TopologySpreadConstraint } from '../../../api/gen/types.ts';
import { duplicate, fieldForbidden, invalidValue, notSupported, required } from '../../../api/field-error.ts';
import { qualifiedName } from '../../../api/validation/names.ts';
import { oneOf, texts, type Errors } from '../../../api/validation/rule.ts';
import type { Shape } from '../../../base/shape.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];

export function spreadShape(constraint: Shape): void {
	constraint.only(
		...['maxSkew', 'topologyKey', 'whenUnsatisfiable', 'labelSelector', 'minDomains'],
		...['nodeAffinityPolicy', 'nodeTaintsPolicy', 'matchLabelKeys'],
	);
	for (const field of ['maxSkew', 'minDomains']) constraint.number(field);
	for (const field of ['topologyKey', 'whenUnsatisfiable', 'nodeAffinityPolicy', 'nodeTaintsPolicy']) constraint.text(field);
	constraint.texts('matchLabelKeys');
}

export function spreadFaults(out: Errors, path: string, defaultingType: string, constraints: readonly TopologySpreadConstraint[]): void {
	if (!['System', 'List'].includes(defaultingType)) out.push(notSupported(`${path}.defaultingType`, defaultingType, ['System', 'List']));
	if (defaultingType === 'System' && constraints.length > 0)
		out.push(invalidValue(`${path}.defaultingType`, defaultingType, 'when .defaultConstraints are not empty'));
	for (const [i, constraint] of constraints.entries()) {
		const at = `${path}.defaultConstraints[${i}]`;
		const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '' as never } = constraint;
		if (maxSkew <= 0) out.push(invalidValue(`${at}.maxSkew`, maxSkew, 'not in valid range (0, inf)'));
		if (topologyKey === '') out.push(required(`${at}.topologyKey`, 'can not be empty'));
		else texts(out, `${at}.topologyKey`, topologyKey, qualifiedName(topologyKey));
		if (whenUnsatisfiable === '') out.push(required(`${at}.whenUnsatisfiable`, 'can not be empty'));
		else oneOf(out, `${at}.whenUnsatisfiable`, whenUnsatisfiable, ACTIONS);
		if (constraint.labelSelector !== undefined && constraint.labelSelector !== null)
			out.push(fieldForbidden(`${at}.labelSelector`, 'constraint must not define a selector, as they deduced for each pod'));
		const isAgain = constraints.slice(0, i).some((c) => c.topologyKey === topologyKey && c.whenUnsatisfiable === whenUnsatisfiable);
		if (isAgain) out.push(duplicate(at, `{${topologyKey}, ${whenUnsatisfiable}}`));
	}
}
