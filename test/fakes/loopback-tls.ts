/** What a server of the test's own over TLS needs: an authority with a certificate for the loopback, and an address. */
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { type Authority, createAuthority, issue } from '../../wire/tls/authority.ts';

export interface LoopbackTls {
	readonly authority: Authority;
	/** PEM, as a server's options name them. */
	readonly cert: string;
	readonly key: string;
}

export async function loopbackTls(clock: Clock): Promise<LoopbackTls> {
	const authority = await createAuthority({ commonName: 'test-ca', days: 2 }, clock);
	const leaf = { commonName: 'server', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server'], days: 2 } as const;
	const { certPem: cert, keyPem: key } = await issue(authority, leaf, clock);
	return { authority, cert, key };
}

/** Its URL, once it listens. */
export async function listening(server: Server): Promise<string> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
