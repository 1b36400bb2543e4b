/** ReplicationControllers. */
import { fieldNotFound, invalidValue, required } from '../../field-error.ts';
import type { ReplicationController } from '../../gen/types.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { byteCounted } from '../names.ts';
import { STRICT, type PodOptions } from '../pod/options.ts';
import { podOptions } from '../pod/options-before.ts';
import { isNotSelected } from '../pod/template.ts';
import { nonNegative, same, type Errors } from '../rule.ts';
import { wholeTemplate } from './workloads.ts';

const NON_CONVERTIBLE = 'non-convertible.kubernetes.io';

export function replicationController(out: Errors, object: ReplicationController): void {
	objectMeta(out, object.metadata, { ...NAMESPACED, name: byteCounted });
	replicationControllerSpec(out, object, STRICT);
}

function replicationControllerSpec(out: Errors, { spec }: ReplicationController, options: PodOptions): void {
	nonNegative(out, 'spec.minReadySeconds', spec?.minReadySeconds);
	const selector = spec?.selector ?? {};
	if (Object.keys(selector).length === 0) out.push(required('spec.selector'));
	nonNegative(out, 'spec.replicas', spec?.replicas);
	if (spec?.template === undefined) out.push(required('spec.template'));
	else {
		const labelsOf = spec.template.metadata?.labels ?? {};
		// What its selector says is compared only, not judged.
		if (Object.entries(selector).some(([key, value]) => labelsOf[key] !== value)) isNotSelected(out, 'spec.template', spec.template);
		wholeTemplate(out, spec.template, 'ReplicationController', options);
	}
}

export function replicationControllerUpdate(out: Errors, object: ReplicationController, old: ReplicationController): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	replicationControllerSpec(out, object, podOptions(old.spec?.template));
	unconverted(out, object, old);
}

/** Of one that stands for a ReplicaSet, annotations name what it cannot say: that stays. */
function unconverted(out: Errors, object: ReplicationController, old: ReplicationController): void {
	for (const [key, value] of Object.entries(old.metadata.annotations ?? {})) {
		const [prefix = '', field, ...more] = key.split('/');
		if (!prefix.startsWith(NON_CONVERTIBLE) || field === undefined || more.length > 0) continue;
		const selector = object.spec?.selector;
		if (!field.includes('selector')) {
			const { message, ...error } = fieldNotFound(field, value);
			out.push({ ...error, message: `${message}: unknown non-convertible field` });
		} else if (!same(selector, old.spec?.selector))
			out.push(invalidValue('spec.selector', selector ?? null, 'cannot update non-convertible selector'));
	}
}
