/** Who asks for a certificate is what the server knows of the caller, never what the request says (upstream's CSR strategy). */
import { invalidValue } from '../../../../api/field-error.ts';
import type { CertificateSigningRequest } from '../../../../api/gen/types.ts';
import { invalid } from '../../../../api/status.ts';
import { messageOf } from '../../../../base/errors.ts';
import { readSigningRequest } from '../../../../wire/tls/authority.ts';
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
		/** Upstream's validation looks at the signature as well: what is not signed for by its key, nobody may be asked to approve. */
		async validate(attributes) {
			const { request = '' } = written<CertificateSigningRequest>(attributes).spec;
			try {
				await readSigningRequest(Buffer.from(request, 'base64').toString());
			} catch (error) {
				const cause = invalidValue('spec.request', request, messageOf(error));
				throw invalid({ group: attributes.group, kind: attributes.kind }, attributes.name, [cause]);
			}
		},
	};
}
