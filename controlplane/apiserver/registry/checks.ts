/** Validation of objects on their way to the store, by the rules of api/validation; custom resources bring their own. */
import type { FieldError } from '../../../api/field-error.ts';
import { invalid } from '../../../api/status.ts';
import {
	validateCreate as createErrors,
	validateStatusUpdate as statusErrors,
	validateUpdate as updateErrors,
} from '../../../api/validation/validation.ts';
import type { Draft } from '../strategy/strategy.ts';
import type { Kind } from './kinds.ts';

export function validateCreate({ resource }: Kind, object: Draft): void {
	const { group, version, kind, namespaced } = resource;
	refuse(resource, object, createErrors(group, version, kind, object, namespaced));
}

/** @param old frozen */
export function validateUpdate({ resource }: Kind, object: Draft, old: Draft, subresource: string): void {
	const { group, version, kind, namespaced } = resource;
	const check = subresource === 'status' ? statusErrors : updateErrors;
	refuse(resource, object, check(group, version, kind, object, old, namespaced));
}

function refuse(resource: Kind['resource'], object: Draft, errors: readonly FieldError[]): void {
	if (errors.length > 0) throw invalid(resource, object.metadata.name ?? '', errors);
}
