/** ControllerRevisions: the data of one stays as it is. */
import { required } from '../../field-error.ts';
import type { ControllerRevision } from '../../gen/types.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { immutable, nonNegative, type Errors } from '../rule.ts';

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
	immutable(out, 'data', object.data, old.data);
}
