/** Validation of objects on their way to the store: the rules of all kinds and, from api/validation, those of each. */
import { invalid } from '../../../api/status.ts';
import type { Draft } from '../strategy/strategy.ts';
import type { Kind } from './kinds.ts';

const NAME_REQUIRED = { reason: 'FieldValueRequired', message: 'Required value: name or generateName is required', field: 'metadata.name' };

export function validateCreate(kind: Kind, object: Draft, _warn: (text: string) => void): void {
	if ((object.metadata.name ?? '') === '') throw invalid(kind.resource, '', [NAME_REQUIRED]);
}

export function validateUpdate(kind: Kind, object: Draft, old: Draft, _subresource: string, _warn: (text: string) => void): void {
	const causes = [];
	if (object.metadata.deletionTimestamp !== undefined) {
		const before = new Set(old.metadata.finalizers);
		const added = (object.metadata.finalizers ?? []).filter((f) => !before.has(f));
		if (added.length > 0)
			causes.push({
				reason: 'FieldValueForbidden',
				message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((f) => JSON.stringify(f)).join(', ')}}`,
				field: 'metadata.finalizers',
			});
	}
	if (causes.length > 0) throw invalid(kind.resource, object.metadata.name ?? '', causes);
}
