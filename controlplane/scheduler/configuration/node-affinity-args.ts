/** The affinity that a profile adds to all its pods: its fields, and what is wrong with them. Pure. */
import type { NodeAffinity } from '../../../api/gen/types.ts';
import { nodeSelectorTerm } from '../../../api/validation/selectors.ts';
import type { Errors } from '../../../api/validation/rule.ts';
import type { Shape } from '../../../base/shape.ts';

export function nodeAffinityShape(affinity: Shape): void {
	affinity.only('requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution');
	const required = affinity.map('requiredDuringSchedulingIgnoredDuringExecution');
	required.only('nodeSelectorTerms');
	for (const term of required.list('nodeSelectorTerms')) termShape(term);
	for (const preferred of affinity.list('preferredDuringSchedulingIgnoredDuringExecution')) {
		preferred.only('weight', 'preference');
		preferred.number('weight');
		termShape(preferred.map('preference'));
	}
}

function termShape(term: Shape): void {
	term.only('matchExpressions', 'matchFields');
	for (const requirement of [...term.list('matchExpressions'), ...term.list('matchFields')]) {
		requirement.only('key', 'operator', 'values');
		requirement.text('key');
		requirement.text('operator');
		requirement.texts('values');
	}
}

export function nodeAffinityFaults(out: Errors, path: string, affinity: NodeAffinity): void {
	const required = affinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
	const at = `${path}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
	for (const [i, term] of required.entries()) nodeSelectorTerm(out, `${at}[${i}]`, term);
	const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
	for (const [i, { preference = {} }] of preferred.entries())
		nodeSelectorTerm(out, `${path}.preferredDuringSchedulingIgnoredDuringExecution[${i}]`, preference);
}
