/** DaemonSets carry the generation of their template in an annotation (upstream's deprecated spec.templateGeneration). */
import { goQuote } from '../../../api/go-quote.ts';
import { sameTyped } from '../../../api/same-typed.ts';
import type { DaemonSet } from '../../../api/gen/types.ts';
import { badRequest } from '../../../api/status.ts';
import type { Draft, Strategy } from './strategy.ts';

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSetStrategy: Strategy = {
	status: ['status'],
	generation: true,
	fieldAnnotation: TEMPLATE_GENERATION,
	decoded: ({ metadata }) => {
		const given = metadata.annotations?.[TEMPLATE_GENERATION];
		if (given === undefined) metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: '0' };
		else checkInteger(given);
	},
	prepareForCreate: (object) => annotate(object, Math.max(1, Number(object.metadata.annotations?.[TEMPLATE_GENERATION]) || 1)),
	// The annotation stands for a field of the spec, which a status leaves alone.
	prepareForStatusUpdate: (object, old) => annotate(object, Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0)),
	prepareForUpdate(object, old) {
		const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
		const same = sameTyped('core/v1.PodTemplateSpec', (object as DaemonSet).spec?.template, (old as DaemonSet).spec?.template);
		annotate(object, same ? before : before + 1);
	},
};

function checkInteger(text: string): void {
	const isInteger = /^[+-]?\d+$/.test(text);
	if (isInteger && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return;
	const why = isInteger ? 'value out of range' : 'invalid syntax';
	throw badRequest(`DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing ${goQuote(text)}: ${why}`);
}

function annotate({ metadata }: Draft, generation: number): void {
	metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}
