/** DenyServiceExternalIPs: services get no further external IPs, by which others' traffic could be caught. */
import type { Service } from '../../../../api/gen/types.ts';
import type { AdmissionPlugin } from '../../contracts.ts';
import { refusal } from '../refusal.ts';
import { isFor, stored, written } from '../target.ts';

export function denyExternalIps(): AdmissionPlugin {
	return {
		name: 'DenyServiceExternalIPs',
		handles: (attributes) => isFor(attributes, '', 'services') && (attributes.operation === 'CREATE' || attributes.operation === 'UPDATE'),
		validate(attributes) {
			const before = stored<Service>(attributes)?.spec?.externalIPs ?? [];
			if ((written<Service>(attributes).spec?.externalIPs ?? []).some((ip) => !before.includes(ip)))
				throw refusal(attributes, 'Use of external IPs is denied by admission control');
		},
	};
}
