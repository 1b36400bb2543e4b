/** Leases. */
import { fieldForbidden, invalidValue } from '../field-error.ts';
import type { Lease } from '../gen/types.ts';
import { NAMESPACED, genericMetaUpdate, objectMeta } from './metadata.ts';
import { qualifiedName } from './names.ts';
import { nonNegative, oneOf, texts, type Errors } from './rule.ts';

export function lease(out: Errors, object: Lease): void {
	objectMeta(out, object.metadata, { ...NAMESPACED, finalizers: false });
	leaseSpec(out, object);
}

function leaseSpec(out: Errors, { spec }: Lease): void {
	if (spec?.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0)
		out.push(invalidValue('spec.leaseDurationSeconds', spec.leaseDurationSeconds, 'must be greater than 0'));
	nonNegative(out, 'spec.leaseTransitions', spec?.leaseTransitions);
	const { strategy, preferredHolder = '' } = spec ?? {};
	if (strategy !== undefined) coordination(out, strategy);
	if (preferredHolder !== '' && (strategy ?? '') === '')
		out.push(fieldForbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'));
}

/** What is no name of Kubernetes' own has a domain. Upstream says the field's name twice. */
function coordination(out: Errors, strategy: string): void {
	const at = 'spec.strategy.strategy';
	if (strategy.includes('/')) texts(out, at, strategy, qualifiedName(strategy));
	else oneOf(out, at, strategy, ['OldestEmulationVersion']);
}

export function leaseUpdate(out: Errors, object: Lease, old: Lease): void {
	genericMetaUpdate(out, object.metadata, old.metadata);
	leaseSpec(out, object);
}
