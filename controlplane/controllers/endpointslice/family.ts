/** IP families of services and addresses. Pure. */
import { isIPv6 } from 'node:net';
import type { Service } from '../../../api/gen/types.ts';

export type AddressType = 'IPv4' | 'IPv6';

export function sliceIpFamily(ip: string): AddressType {
	return isIPv6(ip) ? 'IPv6' : 'IPv4';
}

/** The families a service wants slices for. */
export function familiesOf(service: Service): readonly AddressType[] {
	const asked = (service.spec?.ipFamilies ?? []).filter((f): f is AddressType => f === 'IPv4' || f === 'IPv6');
	if (asked.length > 0) return asked;
	const ip = service.spec?.clusterIP ?? '';
	return [ip === '' || ip === 'None' ? 'IPv4' : sliceIpFamily(ip)];
}
