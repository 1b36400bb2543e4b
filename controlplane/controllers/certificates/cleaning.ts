/** Removes certificate requests that have served their purpose (upstream's certificates/cleaner), each when its time has come. */
import type { CertificateSigningRequest } from '../../../api/gen/types.ts';
import { CERTIFICATE_SIGNING_REQUESTS } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { Informers } from '../../../client/informers.ts';
import { expiresAt } from '../../../wire/tls/authority.ts';
import type { Reconciler } from '../reconciler.ts';
import { isIssued, removableAt } from './rules.ts';

export function certificateCleaning(client: Client, informers: Informers, clock: Clock): Reconciler {
	const requests = informers.get(CERTIFICATE_SIGNING_REQUESTS);
	return {
		sources: [keysFrom(requests)],
		async reconcile(key, signal) {
			const csr = requests.lister.get(key);
			const at = csr === undefined ? undefined : removableAt(csr, isIssued(csr) ? endOf(csr) : undefined);
			if (csr === undefined || at === undefined) return;
			const leftMs = at - clock.now();
			if (leftMs >= 0) return { afterMs: leftMs + 1 };
			const { uid } = csr.metadata;
			await client
				.delete(CERTIFICATE_SIGNING_REQUESTS, key, { signal, ...(uid === undefined ? {} : { uid }) })
				.catch(ignore('NotFound', 'Aborted'));
		},
	};
}

/** Undefined where no certificate can be read. */
function endOf(csr: CertificateSigningRequest): number | undefined {
	try {
		return expiresAt(Buffer.from(csr.status?.certificate ?? '', 'base64').toString());
	} catch {
		return undefined;
	}
}
