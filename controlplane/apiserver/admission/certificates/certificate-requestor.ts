/** Who asks for a certificate is what the server knows of the caller, never what the request says (upstream's CSR strategy). */
import type { CertificateSigningRequest } from '../../../../api/gen/types.ts';
import type { AdmissionPlugin } from '../../contracts.ts';
import { isFor, written } from '../target.ts';

export function certificateRequestor(): AdmissionPlugin {
	return {
		name: 'CertificateRequestor',
		handles: (attributes) => isFor(attributes, 'certificates.k8s.io', 'certificatesigningrequests') && attributes.operation === 'CREATE',
		mutate(attributes) {
			const { name, uid, groups, extra } = attributes.user;
			const request = written<CertificateSigningRequest>(attributes);
			const { uid: _uid, groups: _groups, extra: _extra, ...spec } = request.spec;
			request.spec = {
				...spec,
				username: name,
				...(uid === '' ? {} : { uid }),
				groups: [...groups],
				...(Object.keys(extra).length === 0
					? {}
					: { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
			};
			return Promise.resolve();
		},
	};
}
