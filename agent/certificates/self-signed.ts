/** The certificate of a kubelet that has been given none: signed by an authority that nobody keeps, valid for a year, kept in kubelet.crt and kubelet.key. */
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { readIfExists, writeAtomic } from '../../base/files.ts';
import { createAuthority, issue } from '../../wire/tls/authority.ts';
import { certifiedKey, type CertifiedKey } from './store.ts';

const DAYS = 365;

export interface SelfSignedNames {
	readonly hostname: string;
	readonly addresses: readonly string[];
}

export async function selfSigned(folder: string, { hostname, addresses }: SelfSignedNames, clock: Clock): Promise<CertifiedKey> {
	const [certPath, keyPath] = [join(folder, 'kubelet.crt'), join(folder, 'kubelet.key')];
	const [cert, key] = await Promise.all([readIfExists(certPath), readIfExists(keyPath)]);
	const held = cert === undefined || key === undefined ? undefined : certifiedKey(`${cert}${key}`);
	if (held !== undefined && Date.parse(new X509Certificate(held.certPem).validTo) > clock.now()) return held;
	const stamp = Math.floor(clock.now() / 1000);
	const authority = await createAuthority({ commonName: `${hostname}-ca@${stamp}`, days: DAYS }, clock);
	const leaf = await issue(
		authority,
		{ commonName: `${hostname}@${stamp}`, dnsNames: [hostname], ipAddresses: addresses, usages: ['server'], days: DAYS },
		clock,
	);
	const made = { certPem: `${leaf.certPem.trimEnd()}\n${authority.certPem}`, keyPem: leaf.keyPem };
	await writeAtomic(keyPath, made.keyPem);
	await writeAtomic(certPath, made.certPem, 0o644);
	return made;
}
