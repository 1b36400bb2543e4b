/** ServiceCIDRs: one network of each family, which stays. */
import { invalidValue, required } from '../../field-error.ts';
import type { ServiceCIDR } from '../../gen/types.ts';
import { asSent } from '../../sent-empty.ts';
import { canonicalCidrComplaints } from '../address-form.ts';
import { isCidr, isV4 } from '../ip.ts';
import { CLUSTER_SCOPED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { texts, type Errors } from '../rule.ts';

/** A second family may be added, nothing else changed. */
export function serviceCidrUpdate(out: Errors, object: ServiceCIDR, old: ServiceCIDR): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	const [now, before] = [object.spec?.cidrs ?? [], old.spec?.cidrs ?? []];
	const added = before.length === 1 && now.length === 2;
	if (now.length !== before.length && !added)
		out.push(invalidValue('spec.cidrs', asSent(object.spec, 'cidrs') ?? null, 'field is immutable'));
	else
		for (const [i, cidr] of before.entries()) if (now[i] !== cidr) out.push(invalidValue(`spec.cidrs[${i}]`, now[i], 'field is immutable'));
	if (added) ranges(out, object);
}

export function serviceCidr(out: Errors, object: ServiceCIDR): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	ranges(out, object);
}

function ranges(out: Errors, object: ServiceCIDR): void {
	const cidrs = object.spec?.cidrs ?? [];
	if (cidrs.length === 0) out.push(required('spec.cidrs', 'at least one CIDR required'));
	if (cidrs.length > 2) {
		out.push(invalidValue('spec.cidrs', { CIDRs: cidrs }, 'may only hold up to 2 values'));
		return;
	}
	for (const [i, cidr] of cidrs.entries()) texts(out, `spec.cidrs[${i}]`, cidr, canonicalCidrComplaints(cidr));
	const [a = '', b] = cidrs.map((cidr) => cidr.split('/')[0] ?? '');
	if (b !== undefined && cidrs.every(isCidr) && isV4(a) === isV4(b))
		out.push(invalidValue('spec.cidrs', cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'));
}
