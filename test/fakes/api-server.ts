/** A real API server on a memory store, for tests and for replaying recorded answers: over TLS, or in process only. */
import { randomBytes, generateKeyPairSync } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { createClient } from '../../client/rest.ts';
import type { Client } from '../../client/client.ts';
import type { StandardOptions } from '../../controlplane/apiserver/standard-options.ts';
import { createStandardApiServer, type StandardApiServer } from '../../controlplane/apiserver/standard.ts';
import { createMemoryStore } from '../../controlplane/storage/memory-store.ts';
import type { Store } from '../../controlplane/storage/store.ts';
import { createAuthority, issue, type Authority } from '../../wire/tls/authority.ts';

interface Options {
	/** Absent: in process only. */
	readonly port?: number;
	readonly clock: Clock;
	readonly log: Log;
	readonly store?: Store;
	/** What else the server is told. */
	readonly standard?: Partial<StandardOptions>;
}

export interface TestApiServer {
	readonly server: StandardApiServer;
	/** '' when it is reachable in process only. */
	readonly url: string;
	readonly token: string;
	readonly ca: string;
	/** Signs clients' certificates, too. */
	readonly authority: Authority;
	/** As an administrator, in process. */
	readonly client: Client;
	readonly stopped: Promise<void>;
}

export async function testApiServer(options: Options, signal: AbortSignal): Promise<TestApiServer> {
	const { clock, log, port } = options;
	const authority = await createAuthority({ commonName: 'kubernetes-ca', days: 10 }, clock);
	const leaf = { commonName: 'kube-apiserver', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server'], days: 10 } as const;
	const { certPem: cert, keyPem: key } = await issue(authority, leaf, clock);
	const token = randomBytes(16).toString('hex');
	const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
	const server = await createStandardApiServer(
		{
			...(port === undefined
				? {}
				: { listen: { host: '127.0.0.1', port, certificate: () => ({ cert, key }), clientCa: authority.certPem } }),
			serviceCidr: '10.0.0.0/24',
			clientCa: authority.certPem,
			tokens: [{ token, user: 'admin', uid: 'admin', groups: ['system:masters'] }],
			serviceAccountKey: signing,
			issuers: ['https://k'],
			kubeletTls: () => ({}),
			build: { build: 'kubeling-test', buildDate: '2026-01-01T00:00:00Z', gitCommit: '0'.repeat(40) },
			advertiseAddress: '192.0.2.1',
			// Port 0 listens anywhere; what is advertised must be one that exists.
			advertisePort: port === undefined || port === 0 ? 6443 : port,
			...options.standard,
		},
		{ store: options.store ?? createMemoryStore(clock), clock, log, metrics: createMetrics() },
	);
	const ready = Promise.withResolvers<void>();
	const stopped = server.run(signal, ready.resolve);
	stopped.catch(ready.reject);
	await ready.promise;
	const user = { name: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'], extra: {} };
	const client = createClient(server.transport(user));
	const url = server.address === undefined ? '' : `https://127.0.0.1:${server.address.port}`;
	return { server, url, token, ca: authority.certPem, authority, client, stopped };
}
