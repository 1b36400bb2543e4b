/** Asks the API server for a certificate by a CertificateSigningRequest, and waits until somebody has approved and signed it. */
import { createHash } from 'node:crypto';
import type { CertificateSigningRequest } from '../../api/gen/types.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../api/resources.ts';
import { StatusError } from '../../api/status.ts';
import { linked } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { createInformer } from '../../client/informer.ts';
import { createSigningRequest } from '../../wire/tls/authority.ts';
import type { CertifiedKey } from './store.ts';

export type Usage = 'digital signature' | 'client auth' | 'server auth';

/** What the certificate is to say. */
export interface WantedCertificate {
	readonly signerName: 'kubernetes.io/kube-apiserver-client-kubelet' | 'kubernetes.io/kubelet-serving';
	readonly usages: readonly Usage[];
	readonly commonName: string;
	readonly organizations: readonly string[];
	readonly dnsNames: readonly string[];
	readonly ipAddresses: readonly string[];
}

export interface RequestDeps {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
}

/** The client certificate of a node. */
export function clientCertificate(nodeName: string): WantedCertificate {
	return {
		signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
		usages: ['digital signature', 'client auth'],
		...nodeSubject(nodeName),
		dnsNames: [],
		ipAddresses: [],
	};
}

/** The certificate of a node's HTTPS API; undefined while it has neither name nor address. */
export function servingCertificate(
	nodeName: string,
	addresses: readonly { readonly type: string; readonly address: string }[],
): WantedCertificate | undefined {
	const named = (...types: readonly string[]): string[] => [
		...new Set(addresses.filter((a) => types.includes(a.type)).map((a) => a.address)),
	];
	const dnsNames = named('Hostname', 'InternalDNS', 'ExternalDNS').filter((name) => !isAddress(name));
	const ipAddresses = [...new Set([...named('InternalIP', 'ExternalIP'), ...named('Hostname').filter(isAddress)])];
	if (dnsNames.length + ipAddresses.length === 0) return undefined;
	return {
		signerName: 'kubernetes.io/kubelet-serving',
		usages: ['digital signature', 'server auth'],
		...nodeSubject(nodeName),
		dnsNames: dnsNames.toSorted(),
		ipAddresses: ipAddresses.toSorted(),
	};
}

function nodeSubject(nodeName: string): Pick<WantedCertificate, 'commonName' | 'organizations'> {
	return { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'] };
}

function isAddress(text: string): boolean {
	return text.includes(':') || /^\d+(\.\d+){3}$/.test(text);
}

/**
 * @param keyPem a key that was made before, so that who asks again after a restart finds its own request
 * @param timeoutMs after which nobody is waited for any longer
 * @throws AppError PermissionDenied when the request is denied, Aborted when the signer refuses it, DeadlineExceeded
 */
export async function requestCertificate(
	wanted: WantedCertificate,
	keyPem: string,
	timeoutMs: number,
	deps: RequestDeps,
	signal: AbortSignal,
): Promise<CertifiedKey> {
	const { client, clock, log } = deps;
	const { csrPem } = await createSigningRequest(wanted, keyPem);
	const name = requestName(wanted, keyPem);
	const spec = { request: Buffer.from(csrPem).toString('base64'), signerName: wanted.signerName, usages: [...wanted.usages] };
	const request: CertificateSigningRequest = { metadata: { name }, spec };
	await client.create(CERTIFICATE_SIGNING_REQUESTS, request, { signal }).catch((error: unknown) => {
		if (!(error instanceof StatusError) || error.status.reason !== 'AlreadyExists') throw error;
	});
	log.info('asked for a certificate', { request: name, signer: wanted.signerName });
	using link = linked(signal);
	const requests = createInformer({
		...{ client, clock, log },
		resource: CERTIFICATE_SIGNING_REQUESTS,
		fieldSelector: `metadata.name=${name}`,
	});
	const issued = Promise.withResolvers<string>();
	issued.promise.catch(() => {});
	using _late = clock.after(timeoutMs, () =>
		issued.reject(new AppError('DeadlineExceeded', `Nobody has signed the certificate request "${name}" within ${timeoutMs / 1000} s`)),
	);
	const onAbort = (): void => issued.reject(signal.reason as Error);
	signal.addEventListener('abort', onAbort, { once: true });
	using _subscription = requests.subscribe(({ after }) => {
		if (after?.metadata.name !== name) return;
		try {
			const certificate = verdictOf(after);
			if (certificate !== undefined) issued.resolve(certificate);
		} catch (error) {
			issued.reject(error as Error);
		}
	});
	const running = requests.run(link.signal, () => {}).catch((error: unknown) => issued.reject(error as Error));
	try {
		return { certPem: await issued.promise, keyPem };
	} finally {
		signal.removeEventListener('abort', onAbort);
		link.abort();
		await running;
	}
}

/** Pure: the certificate, or undefined while there is none; throws where there will be none. */
export function verdictOf(csr: CertificateSigningRequest): string | undefined {
	const conditions = csr.status?.conditions ?? [];
	for (const { type, status, reason = '', message = '' } of conditions) {
		const why = `reason: ${reason}, message: ${message}`;
		if (type === 'Denied') throw new AppError('PermissionDenied', `certificate signing request is denied, ${why}`);
		if (type === 'Failed' && status === 'True') throw new AppError('Aborted', `certificate signing request failed, ${why}`);
	}
	const certificate = csr.status?.certificate ?? '';
	if (certificate === '' || !conditions.some((c) => c.type === 'Approved')) return undefined;
	return Buffer.from(certificate, 'base64').toString('utf8');
}

/** One of its own for each key and what is asked for. */
function requestName(wanted: WantedCertificate, keyPem: string): string {
	const hash = createHash('sha256').update(JSON.stringify(wanted)).update(createHash('sha256').update(keyPem).digest());
	return `node-csr-${hash.digest('hex').slice(0, 43)}`;
}
