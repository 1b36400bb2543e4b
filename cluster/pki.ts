/**
 * The cluster's keys and certificates: one CA (and one for the proxy that the API server is towards aggregated servers), leaf certificates as a table, kept in `pki/` of the data folder, made when missing and
 * renewed when two thirds of their life are over or their names no longer fit.
 */
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { readIfExists, writeAtomic } from '../base/files.ts';
import { createAuthority, issue, type Authority, type LeafRequest } from '../wire/tls/authority.ts';
import { METRICS_SERVICE, METRICS_USER } from './parts/metrics-objects.ts';

export interface KeyPair {
	readonly certPem: string;
	readonly keyPem: string;
}

export type LeafName =
	| 'apiserver'
	| 'admin'
	| 'controller-manager'
	| 'scheduler'
	| 'node'
	| 'kubelet-serving'
	| 'apiserver-kubelet-client'
	| 'front-proxy-client'
	| 'metrics'
	| 'metrics-serving';

export interface Pki<L extends LeafName = LeafName> {
	readonly ca: Authority;
	/** Signs the certificate by which aggregated API servers know ours; nobody else has one. */
	readonly frontProxyCa: Authority;
	readonly leaves: Readonly<Record<L, KeyPair>>;
	/** PKCS#8 PEM of the ES256 key that signs service-account tokens. */
	readonly serviceAccountKeyPem: string;
}

/** What certificates must say. */
export interface PkiNames {
	readonly nodeName: string;
	readonly clusterDomain: string;
	/** Every address at which the API server is reached: loopback, the host's, the pod gateway, the service address. */
	readonly apiserverAddresses: readonly string[];
	readonly nodeAddresses: readonly string[];
}

/** The common name of the front proxy's certificate. */
export const FRONT_PROXY = 'front-proxy-client';

/** The name by which the API server knows the provider of metrics: that of its Service. */
const METRICS_SERVER = `${METRICS_SERVICE.name}.${METRICS_SERVICE.namespace}.svc`;

const LEAF_DAYS = 365;
const CA_DAYS = 3650;

/** The leaf certificates of a cluster; users and groups are those that upstream's RBAC bootstrap policy binds. Pure. */
export function leafRequests(names: PkiNames): Readonly<Record<LeafName, LeafRequest>> {
	const client = (commonName: string, ...organizations: readonly string[]): LeafRequest => ({
		commonName,
		organizations,
		usages: ['client'],
		days: LEAF_DAYS,
	});
	const service = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', `kubernetes.default.svc.${names.clusterDomain}`];
	return {
		apiserver: {
			commonName: 'kube-apiserver',
			dnsNames: ['localhost', names.nodeName, ...service],
			ipAddresses: names.apiserverAddresses,
			usages: ['server'],
			days: LEAF_DAYS,
		},
		admin: client('kubernetes-admin', 'system:masters'),
		'controller-manager': client('system:kube-controller-manager'),
		scheduler: client('system:kube-scheduler'),
		node: client(`system:node:${names.nodeName}`, 'system:nodes'),
		'kubelet-serving': {
			commonName: `system:node:${names.nodeName}`,
			organizations: ['system:nodes'],
			dnsNames: ['localhost', names.nodeName],
			ipAddresses: names.nodeAddresses,
			usages: ['server'],
			days: LEAF_DAYS,
		},
		'apiserver-kubelet-client': client('kube-apiserver-kubelet-client', 'system:masters'),
		'front-proxy-client': client(FRONT_PROXY),
		metrics: client(METRICS_USER),
		'metrics-serving': { commonName: METRICS_SERVER, dnsNames: [METRICS_SERVER], usages: ['server'], days: LEAF_DAYS },
	};
}

/** Without these nobody can be served; the others are for parts that are processes of their own, and for what starts later. */
export const FIRST_LEAVES = ['apiserver', 'admin', 'kubelet-serving', 'apiserver-kubelet-client', 'front-proxy-client'] as const;

/**
 * Loads the PKI, making and renewing what is needed.
 * @param wanted all leaves, unless told
 */
export async function loadPki<L extends LeafName = LeafName>(
	dir: string,
	names: PkiNames,
	clock: Clock,
	wanted?: readonly L[],
): Promise<Pki<L>> {
	const [ca, frontProxyCa, serviceAccountKeyPem] = await Promise.all([
		loadAuthority(dir, 'ca', 'kubeling-ca', clock),
		loadAuthority(dir, 'front-proxy-ca', 'kubeling-front-proxy-ca', clock),
		loadServiceAccountKey(dir),
	]);
	const signer = (name: string): Authority => (name === FRONT_PROXY ? frontProxyCa : ca);
	const requests = leafRequests(names);
	const leaves = await Promise.all(
		(wanted ?? (Object.keys(requests) as L[])).map(
			async (name): Promise<readonly [L, KeyPair]> => [name, await loadLeaf(dir, name, signer(name), requests[name], clock)],
		),
	);
	return { ca, frontProxyCa, serviceAccountKeyPem, leaves: Object.fromEntries(leaves) as Record<L, KeyPair> };
}

/** When a certificate is to be renewed: after two thirds of its life, ms since the epoch. */
export function renewAt(certPem: string): number {
	const cert = new X509Certificate(certPem);
	const [from, to] = [Date.parse(cert.validFrom), Date.parse(cert.validTo)];
	return from + ((to - from) * 2) / 3;
}

async function loadAuthority(dir: string, name: string, commonName: string, clock: Clock): Promise<Authority> {
	const [certPath, keyPath] = [join(dir, `${name}.crt`), join(dir, `${name}.key`)];
	const [certPem, keyPem] = await Promise.all([readIfExists(certPath), readIfExists(keyPath)]);
	if (certPem !== undefined && keyPem !== undefined) {
		if (isPair(certPem, keyPem)) return { certPem, keyPem };
		throw new AppError(
			'DataLoss',
			`The certificate authority "${certPath}" and its key are damaged or do not belong together. Restore both from a copy, or move both away to make new ones (every kubeconfig changes).`,
		);
	}
	const made = await createAuthority({ commonName, days: CA_DAYS }, clock);
	await writeAtomic(keyPath, made.keyPem);
	await writeAtomic(certPath, made.certPem, 0o644);
	return made;
}

async function loadServiceAccountKey(dir: string): Promise<string> {
	const path = join(dir, 'sa.key');
	const had = await readIfExists(path);
	if (had !== undefined) return had;
	const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	// The one form of an elliptic-curve key that upstream's API server takes a public key from, too (--service-account-key-file).
	const pem = privateKey.export({ type: 'sec1', format: 'pem' }).toString();
	await writeAtomic(path, pem);
	return pem;
}

async function loadLeaf(dir: string, name: string, ca: Authority, request: LeafRequest, clock: Clock): Promise<KeyPair> {
	const [certPath, keyPath] = [join(dir, `${name}.crt`), join(dir, `${name}.key`)];
	const [certPem, keyPem] = await Promise.all([readIfExists(certPath), readIfExists(keyPath)]);
	if (
		certPem !== undefined &&
		keyPem !== undefined &&
		isPair(certPem, keyPem) &&
		fits(certPem, ca, request) &&
		clock.now() < renewAt(certPem)
	)
		return { certPem, keyPem };
	const made = await issue(ca, request, clock);
	await writeAtomic(keyPath, made.keyPem);
	await writeAtomic(certPath, made.certPem, 0o644);
	return made;
}

/** False where a crash came between the writing of the two, or one is damaged. */
function isPair(certPem: string, keyPem: string): boolean {
	try {
		return new X509Certificate(certPem).checkPrivateKey(createPrivateKey(keyPem));
	} catch {
		return false;
	}
}

/** True when the certificate comes from this CA, is for this user in these groups, and has every name asked for. */
export function fits(certPem: string, ca: Authority, request: LeafRequest): boolean {
	const cert = new X509Certificate(certPem);
	if (!cert.checkIssued(new X509Certificate(ca.certPem))) return false;
	const subject = [...(request.organizations ?? []).map((o) => `O=${o}`), `CN=${request.commonName}`].join('\n');
	return (
		cert.subject === subject &&
		(request.dnsNames ?? []).every((n) => cert.checkHost(n) !== undefined) &&
		(request.ipAddresses ?? []).every((ip) => cert.checkIP(ip) !== undefined)
	);
}
