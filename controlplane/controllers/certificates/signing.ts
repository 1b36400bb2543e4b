/** Signs approved requests of Kubernetes' own signers with the cluster's CA (upstream's certificates/signer). */
import type { CertificateSigningRequest, CertificateSigningRequestStatus } from '../../../api/gen/types.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { Informers } from '../../../client/informers.ts';
import { readSigningRequest, type Authority } from '../../../wire/tls/authority.ts';
import { signRequest } from '../../../wire/tls/sign-request.ts';
import type { Reconciler } from '../reconciler.ts';
import { has, isIssued, refusalOf, SIGNERS } from './rules.ts';

/** Upstream's --cluster-signing-duration. */
const TTL_MS = 365 * 24 * 3_600_000;
const MIN_TTL_MS = 10 * 60_000;

/** @param authority the CA, read anew for each signature */
export function certificateSigning(client: Client, informers: Informers, clock: Clock, authority: () => Promise<Authority>): Reconciler {
	const requests = informers.get(CERTIFICATE_SIGNING_REQUESTS);
	return {
		sources: [keysFrom(requests)],
		async reconcile(key, signal) {
			const csr = requests.lister.get(key);
			if (csr === undefined || isIssued(csr) || !has(csr, 'Approved') || has(csr, 'Denied') || has(csr, 'Failed')) return;
			const { signerName, usages = [], expirationSeconds, request } = csr.spec;
			if (!SIGNERS.includes(signerName)) return;
			const csrPem = Buffer.from(request ?? '', 'base64').toString();
			const refusal = refusalOf(signerName, await readSigningRequest(csrPem), usages);
			if (refusal !== undefined) return await write(client, csr, failed(csr, refusal, clock.now()), signal);
			const certificate = await signRequest(await authority(), csrPem, { usages, ttlMs: ttlMs(expirationSeconds) }, clock);
			await write(client, csr, { ...csr.status, certificate: Buffer.from(certificate).toString('base64') }, signal);
		},
	};
}

/** What is asked for, from ten minutes to a year. Pure. */
export function ttlMs(expirationSeconds: number | undefined): number {
	return expirationSeconds === undefined ? TTL_MS : Math.min(TTL_MS, Math.max(MIN_TTL_MS, expirationSeconds * 1000));
}

function failed(csr: CertificateSigningRequest, message: string, now: number): CertificateSigningRequestStatus {
	const condition = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message, lastUpdateTime: timeOf(now) };
	return { ...csr.status, conditions: [...(csr.status?.conditions ?? []), condition] };
}

async function write(
	client: Client,
	csr: CertificateSigningRequest,
	status: CertificateSigningRequestStatus,
	signal: AbortSignal,
): Promise<void> {
	await client.update(CERTIFICATE_SIGNING_REQUESTS, { ...csr, status }, { subresource: 'status', signal });
}
