/** What decides on objects on their way to the store, once plugins have changed them: their kinds' guards, the rules of api/validation (custom resources bring their own), and warnings. */
import type { FieldError } from '../../../api/field-error.ts';
import { invalid } from '../../../api/status.ts';
import { validateCreate as createErrors, validateUpdate as updateErrors } from '../../../api/validation/validation.ts';
import { warningsOnCreate, warningsOnUpdate } from '../../../api/validation/warnings/warnings.ts';
import type { AdmissionAttributes, Maybe } from '../contracts.ts';
import type { Guard, GuardedWrite } from '../guards/guard.ts';
import type { Draft } from '../strategy/strategy.ts';
import type { Caller, Parts } from './context.ts';
import type { Kind } from './kinds.ts';

/** Whether the object may be written at all, as plugins left it. StatusError. */
export function permit(parts: Parts, kind: Kind, attributes: AdmissionAttributes, caller: Caller): Maybe<void> {
	return guardOf(parts, kind)?.permit?.(guarded(attributes, caller), caller.signal);
}

/** The rules are those of the version that was asked for. */
export async function validateCreate(
	parts: Parts,
	kind: Kind,
	object: Draft,
	attributes: AdmissionAttributes,
	caller: Caller,
): Promise<void> {
	const { custom, resource } = kind;
	const { requested, warn } = caller;
	if (custom !== undefined) return refuse(givenKind(resource, object), object, custom.validateCreate(object, warn));
	const { group, version, kind: name } = requested ?? resource;
	const found = createErrors(group, version, name, object, resource.namespaced);
	refuse(resource, object, await allFaults(parts, kind, found, attributes, caller));
	for (const text of warningsOnCreate(group, name, object)) warn(text);
}

/** @param old frozen */
export async function validateUpdate(
	parts: Parts,
	kind: Kind,
	object: Draft,
	old: Draft,
	attributes: AdmissionAttributes,
	caller: Caller,
): Promise<void> {
	const { custom, resource } = kind;
	const { requested, warn } = caller;
	const { subresource } = attributes;
	if (custom !== undefined) return refuse(givenKind(resource, object), object, custom.validateUpdate(object, old, subresource, warn));
	const { group, version, kind: name } = requested ?? resource;
	const found = updateErrors(group, version, name, object, old, resource.namespaced, subresource);
	refuse(resource, object, await allFaults(parts, kind, found, attributes, caller));
	for (const text of warningsOnUpdate(group, name, object, old, subresource)) warn(text);
}

function allFaults(
	parts: Parts,
	kind: Kind,
	found: readonly FieldError[],
	attributes: AdmissionAttributes,
	caller: Caller,
): Maybe<readonly FieldError[]> {
	return guardOf(parts, kind)?.faults?.(guarded(attributes, caller), found, caller.signal) ?? found;
}

function guardOf({ guards }: Parts, { resource: { group, kind } }: Kind): Guard | undefined {
	return guards?.get(`${group}/${kind}`);
}

function guarded(attributes: AdmissionAttributes, { options }: Caller): GuardedWrite {
	const { kind } = options as { readonly kind?: string };
	return { ...attributes, verb: kind === 'PatchOptions' ? 'patch' : kind === 'UpdateOptions' ? 'update' : 'create' };
}

/** A custom resource may say that it is of another kind, and is refused as that. */
function givenKind({ plural, kind }: Kind['resource'], object: Draft): Parameters<typeof invalid>[0] {
	const group = /^(.*)\//.exec(object.apiVersion ?? '')?.[1] ?? '';
	return { group, plural, kind: object.kind ?? kind } as Parameters<typeof invalid>[0];
}

function refuse(resource: Parameters<typeof invalid>[0], object: Draft, errors: readonly FieldError[]): void {
	if (errors.length > 0) throw invalid(resource, object.metadata.name ?? '', errors);
}
