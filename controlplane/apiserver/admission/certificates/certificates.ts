/** CertificateApproval, CertificateSigning and CertificateSubjectRestriction: who may approve and sign for which signer, and that nobody asks to be a superuser. */
import type { CertificateSigningRequest } from '../../../../api/gen/types.ts';
import { sameJson } from '../../../../api/same-json.ts';
import { readSigningRequest } from '../../../../wire/tls/authority.ts';
import type { AdmissionAttributes, AdmissionPlugin, Authorizer } from '../../contracts.ts';
import { refusal } from '../refusal.ts';
import { isFor, stored, written } from '../target.ts';

const GROUP = 'certificates.k8s.io';
const RESOURCE = 'certificatesigningrequests';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

export function certificateApproval(authorizer: Authorizer): AdmissionPlugin {
	return {
		name: 'CertificateApproval',
		handles: (attributes) => isFor(attributes, GROUP, RESOURCE, 'approval') && attributes.operation === 'UPDATE',
		async validate(attributes, signal) {
			const signer = stored<CertificateSigningRequest>(attributes)?.spec.signerName ?? '';
			if (!(await permitted(authorizer, attributes, 'approve', signer, signal)))
				throw refusal(attributes, `user not permitted to approve requests with signerName ${JSON.stringify(signer)}`);
		},
	};
}

export function certificateSigning(authorizer: Authorizer): AdmissionPlugin {
	return {
		name: 'CertificateSigning',
		handles: (attributes) => isFor(attributes, GROUP, RESOURCE, 'status') && attributes.operation === 'UPDATE',
		async validate(attributes, signal) {
			const before = stored<CertificateSigningRequest>(attributes);
			if (sameJson(signedPart(before), signedPart(written<CertificateSigningRequest>(attributes)))) return;
			const signer = before?.spec.signerName ?? '';
			if (!(await permitted(authorizer, attributes, 'sign', signer, signal)))
				throw refusal(attributes, `user not permitted to sign requests with signerName ${JSON.stringify(signer)}`);
		},
	};
}

export function certificateSubjectRestriction(): AdmissionPlugin {
	return {
		name: 'CertificateSubjectRestriction',
		handles: (attributes) => isFor(attributes, GROUP, RESOURCE) && attributes.operation === 'CREATE',
		async validate(attributes) {
			const { signerName, request } = written<CertificateSigningRequest>(attributes).spec;
			if (signerName !== CLIENT_SIGNER || request === undefined) return;
			// What cannot be read has been refused before any of these is asked.
			const { organizations } = await readSigningRequest(Buffer.from(request, 'base64').toString());
			if (organizations.includes('system:masters'))
				throw refusal(attributes, `use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`);
		},
	};
}

/** The signer itself or its whole domain ("example.com/*") may be granted. */
async function permitted(
	authorizer: Authorizer,
	attributes: AdmissionAttributes,
	verb: string,
	signer: string,
	signal: AbortSignal,
): Promise<boolean> {
	for (const name of [signer, `${signer.split('/')[0]}/*`]) {
		const decision = await authorizer.authorize(
			{
				type: 'resource',
				user: attributes.user,
				verb,
				group: GROUP,
				version: '*',
				resource: 'signers',
				subresource: '',
				namespace: '',
				name,
			},
			signal,
		);
		if (decision.allowed) return true;
	}
	return false;
}

/** What only a signer may change through the status; who approves has a subresource of its own. */
function signedPart(request: CertificateSigningRequest | undefined): object {
	const { certificate = '', conditions = [] } = request?.status ?? {};
	return { certificate, conditions };
}
