/** Validation of objects on their way to the store, by the rules of api/validation, and warnings; custom resources bring their own. */
import type { FieldError } from '../../../api/field-error.ts';
import { invalid } from '../../../api/status.ts';
import { validateCreate as createErrors, validateUpdate as updateErrors } from '../../../api/validation/validation.ts';
import { warningsOnCreate, warningsOnUpdate } from '../../../api/validation/warnings/warnings.ts';
import type { Draft } from '../strategy/strategy.ts';
import type { Caller } from './context.ts';
import type { Kind } from './kinds.ts';

/** The rules are those of the version that was asked for. */
export function validateCreate({ custom, resource }: Kind, object: Draft, { requested, warn }: Caller): void {
	if (custom !== undefined) return refuse(givenKind(resource, object), object, custom.validateCreate(object, warn));
	const { namespaced } = resource;
	const { group, version, kind } = requested ?? resource;
	refuse(resource, object, createErrors(group, version, kind, object, namespaced));
	for (const text of warningsOnCreate(group, kind, object)) warn(text);
}

/** @param old frozen */
export function validateUpdate(
	{ custom, resource }: Kind,
	object: Draft,
	old: Draft,
	subresource: string,
	{ requested, warn }: Caller,
): void {
	if (custom !== undefined) return refuse(givenKind(resource, object), object, custom.validateUpdate(object, old, subresource, warn));
	const { namespaced } = resource;
	const { group, version, kind } = requested ?? resource;
	refuse(resource, object, updateErrors(group, version, kind, object, old, namespaced, subresource));
	for (const text of warningsOnUpdate(group, kind, object, old, subresource)) warn(text);
}

/** A custom resource may say that it is of another kind, and is refused as that. */
function givenKind({ plural, kind }: Kind['resource'], object: Draft): Parameters<typeof invalid>[0] {
	const group = /^(.*)\//.exec(object.apiVersion ?? '')?.[1] ?? '';
	return { group, plural, kind: object.kind ?? kind } as Parameters<typeof invalid>[0];
}

function refuse(resource: Parameters<typeof invalid>[0], object: Draft, errors: readonly FieldError[]): void {
	if (errors.length > 0) throw invalid(resource, object.metadata.name ?? '', errors);
}
