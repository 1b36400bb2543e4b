/**
 * How a node becomes one of a cluster (TLS bootstrap): with a kubeconfig that knows only a bootstrap token, it asks for a client certificate of
 * its own, and writes the kubeconfig by which it is the node from then on.
 */
import { X509Certificate } from 'node:crypto';
import { stringify } from 'yaml';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { readIfExists, writeNamed } from '../../base/files.ts';
import { retrying } from '../../base/backoff.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { dataOrFile, loadKubeconfig, type KubeconfigCluster } from '../../client/kubeconfig.ts';
import { clientCertificate } from './request.ts';
import { RotatedCertificate } from './rotated.ts';
import { certifiedKey, type CertificateStore, type CertifiedKey } from './store.ts';

export interface JoinOptions {
	readonly kubeconfigFile: string;
	/** Absent: the kubeconfig must be there. */
	readonly bootstrapFile: string | undefined;
	readonly nodeName: string;
	readonly store: CertificateStore;
	/** A client of the API server by a kubeconfig file. */
	readonly connect: (kubeconfigFile: string) => Promise<Client>;
	readonly clock: Clock;
	readonly log: Log;
}

/** Upstream's wait for the first certificate: who approves it may be a person. */
const WAIT_MS = 3_600_000;
const AGAIN = { initialMs: 1000, maxMs: 30_000, jitter: 0.1 };

/** Resolves once the kubeconfig is there and its credentials have not ended. AppError NotFound where nothing leads to one. */
export async function joinCluster(options: JoinOptions, signal: AbortSignal): Promise<void> {
	const { kubeconfigFile, bootstrapFile, nodeName, store, clock, log } = options;
	if (await isUsable(kubeconfigFile, clock)) return;
	if (bootstrapFile === undefined)
		throw new AppError(
			'NotFound',
			`The kubeconfig "${kubeconfigFile}" is missing or its certificate has ended. Give one, or a --bootstrap-kubeconfig to get one with.`,
		);
	log.info('joining the cluster with bootstrap credentials', { kubeconfig: bootstrapFile });
	const client = await options.connect(bootstrapFile);
	const wanted = clientCertificate(nodeName);
	const certificate = await RotatedCertificate.open({ client, clock, log, store, wanted: () => wanted, waitMs: WAIT_MS });
	if (certificate.current === undefined)
		await retrying(
			clock,
			AGAIN,
			signal,
			() => certificate.obtain(wanted, signal),
			(error) => {
				log.warn('no client certificate yet', { reason: messageOf(error) });
				return true;
			},
		);
	const cluster = await clusterOf(bootstrapFile);
	await writeNamed(kubeconfigFile, kubeconfigText(cluster, store.path));
	log.info('the node has a kubeconfig of its own', { file: kubeconfigFile });
}

/** Whether it leads to a server, with credentials that are there and have not ended. */
async function isUsable(file: string, clock: Clock): Promise<boolean> {
	if ((await readIfExists(file)) === undefined) return false;
	const pair = await clientPairOf(file).catch(() => 'missing' as const);
	if (pair === 'missing') return false;
	return pair === undefined || Date.parse(new X509Certificate(pair.certPem).validTo) > clock.now();
}

/** The client certificate that a kubeconfig's current user has; undefined for one who has something else. */
export async function clientPairOf(file: string): Promise<CertifiedKey | undefined> {
	const config = await loadKubeconfig([file]);
	const context = config.contexts.get(config.currentContext ?? '');
	const user = config.users.get(context?.user ?? '');
	if (user === undefined) throw new AppError('NotFound', `The kubeconfig "${file}" has no current user`);
	const [cert, key] = await Promise.all([
		dataOrFile(user['client-certificate-data'], user['client-certificate']),
		dataOrFile(user['client-key-data'], user['client-key']),
	]);
	return cert === undefined || key === undefined ? undefined : certifiedKey(`${cert}\n${key}`);
}

/** The CAs by which a kubeconfig's current cluster is known, PEM. */
export async function clusterCaOf(file: string): Promise<string | undefined> {
	const cluster = await clusterOf(file);
	return dataOrFile(cluster['certificate-authority-data'], cluster['certificate-authority']);
}

async function clusterOf(file: string): Promise<KubeconfigCluster> {
	const config = await loadKubeconfig([file]);
	const cluster = config.clusters.get(config.contexts.get(config.currentContext ?? '')?.cluster ?? '');
	if (cluster === undefined) throw new AppError('NotFound', `The kubeconfig "${file}" has no current cluster`);
	return cluster;
}

/** As upstream's kubelet writes it: certificate and key are those that the link names at any time. */
function kubeconfigText(cluster: KubeconfigCluster, pairFile: string): string {
	return stringify({
		apiVersion: 'v1',
		kind: 'Config',
		clusters: [{ name: 'default-cluster', cluster }],
		users: [{ name: 'default-auth', user: { 'client-certificate': pairFile, 'client-key': pairFile } }],
		contexts: [{ name: 'default-context', context: { cluster: 'default-cluster', namespace: 'default', user: 'default-auth' } }],
		'current-context': 'default-context',
	});
}
