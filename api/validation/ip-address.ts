/** IPAddress: named as the address in its canonical form, and of one parent for good. */
import type { IPAddress } from '../gen/types.ts';
import { hasLeadingZero, IP_TEXT, isIp, isV4 } from './ip.ts';
import { objectMeta, objectMetaUpdate } from './metadata.ts';
import { dnsSubdomain, pathSegment, type NameRule } from './names.ts';
import { immutable, present, texts, type Errors } from './rule.ts';

const addressName: NameRule = (name) => {
	if (hasLeadingZero(name)) return ['must not have leading 0s'];
	if (!isIp(name)) return [IP_TEXT];
	if (/^::ffff:/i.test(name)) return ['must not be an IPv4-mapped IPv6 address'];
	const canonical = isV4(name) ? name : new URL(`http://[${name}]/`).hostname.slice(1, -1);
	return name === canonical ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
};

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
	objectMetaUpdate(out, object.metadata, old.metadata);
	immutable(out, 'spec.parentRef', object.spec?.parentRef, old.spec?.parentRef);
}
