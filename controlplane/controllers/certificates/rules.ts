/** What each of Kubernetes' signers signs (upstream's pkg/apis/certificates helpers and certificates/signer). Pure. */
import type { CertificateSigningRequest } from '../../../api/gen/types.ts';
import type { SigningRequest } from '../../../wire/tls/authority.ts';

export const CLIENT = 'kubernetes.io/kube-apiserver-client';
export const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
export const KUBELET_SERVING = 'kubernetes.io/kubelet-serving';
export const LEGACY = 'kubernetes.io/legacy-unknown';

export const SIGNERS: readonly string[] = [CLIENT, KUBELET_CLIENT, KUBELET_SERVING, LEGACY];

/** Why the signer refuses; undefined when it does not. */
export function refusalOf(signer: string, request: SigningRequest, usages: readonly string[]): string | undefined {
	switch (signer) {
		case CLIENT: {
			const wrong = usages.find((u) => !['digital signature', 'key encipherment', 'client auth'].includes(u));
			if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
			return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
		}
		case KUBELET_CLIENT:
			return kubeletClientRefusal(request, usages);
		case KUBELET_SERVING:
			return kubeletServingRefusal(request, usages);
		default:
			return undefined;
	}
}

export function kubeletClientRefusal(request: SigningRequest, usages: readonly string[]): string | undefined {
	if (!isOfNodes(request)) return 'subject organization is not system:nodes';
	if (request.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
	if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
	if (request.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
	if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
	if (!isNode(request)) return 'subject common name does not begin with system:node:';
	return usagesRefusal(usages, 'client auth');
}

function kubeletServingRefusal(request: SigningRequest, usages: readonly string[]): string | undefined {
	if (!isOfNodes(request)) return 'subject organization is not system:nodes';
	if (request.dnsNames.length === 0 && request.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
	if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
	if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
	return usagesRefusal(usages, 'server auth') ?? (isNode(request) ? undefined : 'subject common name does not begin with system:node:');
}

/** Key encipherment is for RSA keys only. */
function usagesRefusal(usages: readonly string[], own: string): string | undefined {
	const given = [...new Set(usages)].toSorted().join();
	const required = ['digital signature', 'key encipherment', own].toSorted();
	const fits = given === required.join() || given === required.filter((u) => u !== 'key encipherment').join();
	return fits ? undefined : `usages did not match [${required.join(' ')}]`;
}

function isOfNodes({ organizations }: SigningRequest): boolean {
	return organizations.length === 1 && organizations[0] === 'system:nodes';
}

function isNode({ commonName }: SigningRequest): boolean {
	return commonName.startsWith('system:node:');
}

/** Approved, denied or failed. */
export function has(csr: CertificateSigningRequest, type: 'Approved' | 'Denied' | 'Failed'): boolean {
	return (csr.status?.conditions ?? []).some((c) => c.type === type && (type !== 'Failed' || c.status === 'True'));
}

export function isIssued(csr: CertificateSigningRequest): boolean {
	return (csr.status?.certificate ?? '') !== '';
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** When the request has served its purpose, ms since the epoch: issued, denied or failed for an hour, or waiting for a day. @param certificateEnds of the issued certificate */
export function removableAt(csr: CertificateSigningRequest, certificateEnds: number | undefined): number | undefined {
	const conditions = csr.status?.conditions ?? [];
	if (conditions.length === 0) return at(csr.metadata.creationTimestamp, DAY_MS);
	const times = conditions.map(({ type, lastUpdateTime }) => {
		switch (type) {
			case 'Denied':
			case 'Failed':
				return at(lastUpdateTime, HOUR_MS);
			case 'Approved':
				return isIssued(csr) ? Math.min(at(lastUpdateTime, HOUR_MS) ?? Infinity, certificateEnds ?? Infinity) : at(lastUpdateTime, DAY_MS);
			default:
				return undefined;
		}
	});
	const first = Math.min(...times.map((time) => time ?? Infinity));
	return first === Infinity ? undefined : first;
}

function at(time: string | undefined | null, laterMs: number): number | undefined {
	return time === undefined || time === null ? undefined : Date.parse(time) + laterMs;
}
