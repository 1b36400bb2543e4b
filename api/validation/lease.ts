/** Leases. */
import { invalidValue } from '../field-error.ts';
import type { Lease } from '../gen/types.ts';
import { NAMESPACED, genericMetaUpdate, objectMeta } from './metadata.ts';
import { nonNegative, type Errors } from './rule.ts';

export function lease(out: Errors, object: Lease): void {
	objectMeta(out, object.metadata, { ...NAMESPACED, finalizers: false });
	leaseSpec(out, object);
}

function leaseSpec(out: Errors, { spec }: Lease): void {
	if (spec?.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0)
		out.push(invalidValue('spec.leaseDurationSeconds', spec.leaseDurationSeconds, 'must be greater than 0'));
	nonNegative(out, 'spec.leaseTransitions', spec?.leaseTransitions);
}

export function leaseUpdate(out: Errors, object: Lease, old: Lease): void {
	genericMetaUpdate(out, object.metadata, old.metadata);
	leaseSpec(out, object);
}
