/** A cluster whose objects are in a real etcd: pods run, upstream's own code reads and writes the same keys, a second API server agrees. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { must, Running } from '../tools/command.ts';
import { etcdObjects } from '../tools/etcd-objects.ts';
import { Etcd } from '../tools/etcd.ts';
import { BUSYBOX, busyboxImage } from '../tools/images.ts';
import { kubectl } from '../tools/kubectl.ts';
import { ownPort } from '../tools/ports.ts';
import { Kubectl, testCluster } from './cluster.ts';

const LAUNCHER = join(import.meta.dirname, '..', '..', 'cli', 'launcher.js');

const ENCRYPTION = `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - secretbox: {keys: [{name: k1, secret: "${Buffer.alloc(32, 5).toString('base64')}"}]}
  - identity: {}
`;

test('a cluster on etcd: pods run, and it resumes after a stop', async (t) => {
	const [path, tool] = await Promise.all([kubectl(), etcdObjects(), busyboxImage()]);
	await using etcd = await Etcd.start({ version: '3.6' });
	await using cluster = await testCluster('etcd');
	const endpoint = etcd.endpoints[0] as string;
	const encryption = join(cluster.dir, 'encryption.yaml');
	await writeFile(encryption, ENCRYPTION);
	await cluster.up('--etcd-servers', endpoint, '--encryption-provider-config', encryption);
	const k = new Kubectl(path, cluster, 'default');
	await k.must(['run', 'web', `--image=${BUSYBOX}`, '--labels=app=web', '--', 'sleep', '3600']);
	await k.must(['wait', '--for=condition=Ready', 'pod/web', '--timeout=110s']);

	// Upstream's code reads what was written here, and the reverse.
	const pod = JSON.parse(await must(tool, ['get', endpoint, '/registry/pods/default/web'])) as {
		metadata: { labels: object };
		status: { phase: string };
	};
	t.deepEqual([pod.metadata.labels, pod.status.phase], [{ app: 'web' }, 'Running']);
	const map = {
		apiVersion: 'v1',
		kind: 'ConfigMap',
		metadata: {
			name: 'theirs',
			namespace: 'default',
			uid: 'b7c5a1de-0000-4000-8000-000000000001',
			creationTimestamp: '2026-01-01T00:00:00Z',
		},
		data: { from: 'upstream' },
	};
	await must(tool, ['put', endpoint, '/registry/configmaps/default/theirs'], { input: JSON.stringify(map) });
	t.is(await k.must(['get', 'configmap', 'theirs', '-o', 'jsonpath={.data.from}']), 'upstream');

	// Secrets lie sealed.
	await k.must(['create', 'secret', 'generic', 'hidden', '--from-literal=word=xyzzy']);
	const sealed = await must(tool, ['raw', endpoint, '/registry/secrets/default/hidden']);
	t.true(sealed.startsWith('k8s:enc:secretbox:v1:k1:') && !sealed.includes('xyzzy'));

	// A second API server on the same etcd.
	const port = await ownPort('127.0.0.1');
	const config = await apiserverConfig(cluster.dataDir, port, endpoint, encryption);
	{
		await using second = new Running(process.execPath, [LAUNCHER, 'apiserver', '--config', config], cluster.env);
		await second.waitFor(/serving the API/);
		const other = new Kubectl(path, cluster, 'default');
		const at = ['--server', `https://127.0.0.1:${port}`];
		for (let i = 0; i < 5; i++) {
			await k.must(['create', 'configmap', `m${i}`, `--from-literal=n=${i}`]);
			t.is(await other.must([...at, 'get', 'configmap', `m${i}`, '-o', 'jsonpath={.data.n}']), String(i));
			await other.must([...at, 'patch', 'configmap', `m${i}`, '--type=merge', '-p', '{"data":{"n":"x"}}']);
			t.is(await k.must(['get', 'configmap', `m${i}`, '-o', 'jsonpath={.data.n}']), 'x');
			await k.must(['delete', 'configmap', `m${i}`]);
			t.not((await other.run([...at, 'get', 'configmap', `m${i}`])).code, 0);
		}
	}

	await cluster.kubeling('down');
	await cluster.up();
	t.is(await k.must(['get', 'secret', 'hidden', '-o', 'jsonpath={.data.word}']), Buffer.from('xyzzy').toString('base64'));
	t.is(await k.must(['get', 'configmap', 'theirs', '-o', 'jsonpath={.data.from}']), 'upstream');
	await k.must(['delete', 'pod', 'web', '--grace-period=1']);
});

/** A configuration of an API server beside the cluster's own: its keys, another port, the same etcd. */
async function apiserverConfig(dataDir: string, port: number, endpoint: string, encryptionConfigFile: string): Promise<string> {
	const pki = (name: string): string => join(dataDir, 'pki', name);
	const pair = (name: string): object => ({ certFile: pki(`${name}.crt`), keyFile: pki(`${name}.key`) });
	const { serviceSubnet } = JSON.parse(await readFile(join(dataDir, 'cluster.json'), 'utf8')) as { serviceSubnet: string };
	const path = join(dataDir, '..', 'second.json');
	const config = {
		bindAddress: '127.0.0.1',
		port,
		advertiseAddress: '192.0.2.10',
		serviceSubnet,
		store: { type: 'etcd', endpoints: [endpoint] },
		encryptionConfigFile,
		serving: pair('apiserver'),
		clientCaFile: pki('ca.crt'),
		serviceAccountKeyFile: pki('sa.key'),
		kubeletClient: pair('apiserver-kubelet-client'),
		clusterDomain: 'cluster.local',
	};
	await writeFile(path, JSON.stringify(config));
	return path;
}
