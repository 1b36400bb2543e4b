/** ControllerRevisions: the data of one stays as it is. */
import { invalidValue, required } from '../../field-error.ts';
import type { ControllerRevision } from '../../gen/types.ts';
import { sameTyped } from '../../same-typed.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { nonNegative, type Errors } from '../rule.ts';

export function controllerRevision(out: Errors, object: ControllerRevision): void {
	revision(out, object);
	const { data } = object;
	if (data === undefined || data === null) out.push(required('data', 'data is mandatory'));
	else if (typeof data !== 'object' || Array.isArray(data)) out.push(required('data', 'data must be a valid JSON object'));
}

function revision(out: Errors, object: ControllerRevision): void {
	objectMeta(out, object.metadata, NAMESPACED);
	nonNegative(out, 'revision', object.revision);
}

export function controllerRevisionUpdate(out: Errors, object: ControllerRevision, old: ControllerRevision): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	revision(out, object);
	// As it came, with nulls and in its order.
	if (!sameTyped('runtime.RawExtension', object.data, old.data)) out.push(invalidValue('data', object.data, 'field is immutable'));
}
