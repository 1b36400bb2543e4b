/**
 * Upstream's controller-manager, scheduler and kubelet in the places of ours, each with the certificate that ours would have: what is left of the cluster is its API server and its runtime. Built from the Go module, tens of
 * minutes when nothing is compiled yet.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubeconfigText } from '../../../cluster/kubeconfig.ts';
import { CLUSTER_DOMAIN } from '../../../cluster/layout.ts';
import type { ApiAccess, PartConfigs, PartName } from '../../../cluster/parts/config.ts';
import { LAUNCHER, type TestCluster } from '../../e2e/cluster.ts';
import { must, Running } from '../../tools/command.ts';
import { ownPort } from '../../tools/ports.ts';
import { unmountBelow } from '../../tools/shared-folder.ts';
import { CLUSTER_DNS } from './dns.ts';
import { kubernetesTool } from './tools.ts';

/** The metrics server is one of the parts that are left out; discovery says that it is missing for as long as it is known. */
const ABSENT = 'v1beta1.metrics.k8s.io';
const READY_MS = 120_000;

/** A cluster that has been up, with this node's name, once its node is ready again under upstream's kubelet. */
export async function upstreamParts(cluster: TestCluster, kubectl: string, nodeName: string): Promise<AsyncDisposable> {
	const program = (name: string): Promise<string> => kubernetesTool(name, { package: `k8s.io/kubernetes/cmd/${name}` });
	// One after the other: most of what they are made of is the same.
	const [manager, scheduler, kubelet] = [
		await program('kube-controller-manager'),
		await program('kube-scheduler'),
		await program('kubelet'),
	];
	await cluster.up('--isolate', '--node-name', nodeName, '--kubelet-certificate-authority=');
	await cluster.kubeling('down');
	const { dir, env } = cluster;
	const config = async <P extends PartName>(part: P): Promise<PartConfigs[P]> =>
		JSON.parse(await readFile(join(cluster.dataDir, 'parts', `${part}.json`), 'utf8')) as PartConfigs[P];
	const [api, cri, agent, own] = await Promise.all([config('apiserver'), config('cri'), config('agent'), config('controller-manager')]);
	const { api: schedulerApi } = await config('scheduler');

	await using started = new AsyncDisposableStack();
	const part = async (name: PartName, said: RegExp): Promise<void> => {
		const args = [LAUNCHER, name, '--config', join(cluster.dataDir, 'parts', `${name}.json`)];
		await started.use(new Running(process.execPath, args, env)).waitFor(said);
	};
	await part('apiserver', /serving the API/);
	await part('cri', /serving CRI/);
	await must(kubectl, ['delete', 'node', nodeName], { env });
	await must(kubectl, ['delete', 'apiservice', ABSENT, '--ignore-not-found'], { env });

	const kubeconfig = async (name: string, access: ApiAccess): Promise<string> => {
		const path = join(dir, `${name}.conf`);
		const read = (file: string): Promise<string> => readFile(file, 'utf8');
		const [caPem, certPem, keyPem] = [await read(access.caFile), await read(access.certFile), await read(access.keyFile)];
		await writeFile(path, kubeconfigText({ name, server: access.server, caPem, certPem, keyPem }), { mode: 0o600 });
		return path;
	};
	const serving = async (path: string): Promise<readonly string[]> => [
		...['--kubeconfig', path, '--authentication-kubeconfig', path, '--authorization-kubeconfig', path],
		...['--leader-elect=false', '--bind-address=127.0.0.1', '--secure-port', String(await ownPort('127.0.0.1'))],
	];
	const keys = ['--service-account-private-key-file', api.serviceAccountKeyFile, '--root-ca-file', own.api.caFile];
	const { certFile = '', keyFile = '' } = own.signing ?? {};
	const signing = ['--cluster-signing-cert-file', certFile, '--cluster-signing-key-file', keyFile];
	const managing = [...(await serving(await kubeconfig('manager', own.api))), '--use-service-account-credentials', ...keys, ...signing];
	started.use(new Running(manager, managing, env));
	started.use(new Running(scheduler, await serving(await kubeconfig('scheduling', schedulerApi)), env));

	const rootDir = join(dir, 'kubelet');
	// Where it was killed volumes of pods are still mounted, and the folder itself is a mount to share.
	started.defer(() => unmountBelow(rootDir));
	const file = join(dir, 'kubelet-configuration.json');
	const ports = { port: await ownPort('0.0.0.0'), healthzPort: await ownPort('127.0.0.1') };
	await writeFile(file, JSON.stringify({ ...KUBELET, ...ports, ...reached(cri.socketPath, api.clientCaFile) }));
	const node = ['--config', file, '--kubeconfig', await kubeconfig('node', agent.api as ApiAccess), '--hostname-override', nodeName];
	started.use(new Running(kubelet, [...node, '--root-dir', rootDir, '--cert-dir', join(dir, 'kubelet-pki')], env));
	await must(kubectl, ['wait', '--for=create', `node/${nodeName}`, `--timeout=${READY_MS / 1000}s`], { env, timeoutMs: READY_MS });
	await must(kubectl, ['wait', '--for=condition=Ready', `node/${nodeName}`, `--timeout=${READY_MS / 1000}s`], { env, timeoutMs: READY_MS });
	return started.move();
}

/** As on a node of kubeadm's, but for what machines of tests lack: version 2 of cgroups, room on the disk, no swap. */
const KUBELET = {
	apiVersion: 'kubelet.config.k8s.io/v1beta1',
	kind: 'KubeletConfiguration',
	clusterDNS: [CLUSTER_DNS],
	clusterDomain: CLUSTER_DOMAIN,
	authorization: { mode: 'Webhook' },
	failCgroupV1: false,
	failSwapOn: false,
	cgroupDriver: 'cgroupfs',
	evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'nodefs.inodesFree': '1%', 'imagefs.available': '1%' },
	// Images of the suite are made once and pulled from nowhere.
	imageGCHighThresholdPercent: 100,
	readOnlyPort: 0,
};

function reached(socketPath: string, clientCAFile: string): object {
	return {
		containerRuntimeEndpoint: `unix://${socketPath}`,
		authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile } },
	};
}
