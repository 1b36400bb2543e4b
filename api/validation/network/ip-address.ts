/** IPAddress: named as the address in its canonical form, and of one parent for good. */
import type { IPAddress } from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import { canonicalIpComplaints } from '../address-form.ts';
import { objectMeta, objectMetaUpdate } from '../metadata.ts';
import { dnsSubdomain, pathSegment, type NameRule } from '../names.ts';
import { immutable, present, texts, type Errors } from '../rule.ts';

const addressName: NameRule = (name) => canonicalIpComplaints(name);

export function ipAddress(out: Errors, object: IPAddress): void {
	objectMeta(out, object.metadata, { name: addressName, namespaced: false, finalizers: true });
	const parent = object.spec?.parentRef;
	const at = 'spec.parentRef';
	if (!present(out, at, parent) || parent === undefined) return;
	const { group = '', resource, name, namespace = '' } = parent;
	if (group !== '') texts(out, `${at}.group`, group, dnsSubdomain(group));
	if (present(out, `${at}.resource`, resource)) texts(out, `${at}.resource`, resource, pathSegment(resource));
	if (present(out, `${at}.name`, name)) texts(out, `${at}.name`, name, pathSegment(name));
	texts(out, `${at}.namespace`, namespace, pathSegment(namespace));
}

export function ipAddressUpdate(out: Errors, object: IPAddress, old: IPAddress): void {
	ipAddress(out, object);
	objectMetaUpdate(out, object.metadata, old.metadata);
	const form = (address: IPAddress): unknown => {
		const parent = address.spec?.parentRef;
		return parent === undefined ? null : internalForm('networking/v1.ParentReference', parent);
	};
	immutable(out, 'spec.parentRef', form(object), form(old));
}
