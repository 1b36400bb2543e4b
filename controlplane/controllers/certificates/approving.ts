/** Approves kubelets' requests for client certificates, where the requestor may have one (upstream's certificates/approver). */
import type { CertificateSigningRequest, SubjectAccessReview } from '../../../api/gen/types.ts';
import { CERTIFICATE_SIGNING_REQUESTS, SUBJECT_ACCESS_REVIEWS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import { delayMs, type BackoffPolicy } from '../../../base/backoff.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { Informers } from '../../../client/informers.ts';
import { readSigningRequest } from '../../../wire/tls/authority.ts';
import type { Reconciler } from '../reconciler.ts';
import { has, isIssued, KUBELET_CLIENT, kubeletClientRefusal } from './rules.ts';

const CHECKS = [
	{ subresource: 'selfnodeclient', self: true, message: 'Auto approving self kubelet client certificate after SubjectAccessReview.' },
	{ subresource: 'nodeclient', self: false, message: 'Auto approving kubelet client certificate after SubjectAccessReview.' },
] as const;

/** Rights may be given later: upstream's queue asks again so often. */
const AGAIN: BackoffPolicy = { initialMs: 200, maxMs: 1_000_000 };

export function certificateApproving(client: Client, informers: Informers, clock: Clock): Reconciler {
	const requests = informers.get(CERTIFICATE_SIGNING_REQUESTS);
	const refused = new Map<string, number>();
	return {
		sources: [keysFrom(requests)],
		async reconcile(key, signal) {
			const csr = requests.lister.get(key);
			if (csr === undefined || isIssued(csr) || has(csr, 'Approved') || has(csr, 'Denied') || csr.spec.signerName !== KUBELET_CLIENT)
				return void refused.delete(key);
			const asked = await readSigningRequest(Buffer.from(csr.spec.request ?? '', 'base64').toString());
			if (kubeletClientRefusal(asked, csr.spec.usages ?? []) !== undefined) return;
			for (const { subresource, self, message } of CHECKS) {
				if (self && csr.spec.username !== asked.commonName) continue;
				if (!(await isAllowed(client, csr, subresource, signal))) continue;
				const condition = { type: 'Approved', status: 'True', reason: 'AutoApproved', message, lastUpdateTime: timeOf(clock.now()) };
				const conditions = [...(csr.status?.conditions ?? []), condition];
				const approved = { ...csr, status: { ...csr.status, conditions } };
				await client.update(CERTIFICATE_SIGNING_REQUESTS, approved, { subresource: 'approval', signal });
				return void refused.delete(key);
			}
			const times = refused.get(key) ?? 0;
			refused.set(key, times + 1);
			return { afterMs: delayMs(AGAIN, times, 0) };
		},
	};
}

async function isAllowed(client: Client, csr: CertificateSigningRequest, subresource: string, signal: AbortSignal): Promise<boolean> {
	const { username, uid, groups, extra } = csr.spec;
	const resourceAttributes = {
		group: 'certificates.k8s.io',
		resource: 'certificatesigningrequests',
		verb: 'create',
		subresource,
		version: '*',
	};
	const review = { metadata: {}, spec: { user: username, uid, groups, extra, resourceAttributes } };
	const answer = await client.create<SubjectAccessReview>(SUBJECT_ACCESS_REVIEWS, review, { signal });
	return answer.status?.allowed === true;
}
