/**
 * Upstream's CSI sidecars on our driver and our API server: volumes are provisioned, attached, detached, grown, snapshotted, restored and deleted by
 * them. The driver stands beside the cluster under a name of its own, so that the cluster's roles leave its volumes alone. Ours are the controllers, among
 * them that of snapshots, the scheduler and the agent.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { Kubectl, LAUNCHER, testCluster } from '../../e2e/cluster.ts';
import { Running } from '../../tools/command.ts';
import { eventually } from '../../tools/eventually.ts';
import { busyboxImage } from '../../tools/images.ts';
import { kubectl } from '../../tools/kubectl.ts';
import { unmountBelow } from '../../tools/shared-folder.ts';
import { csiProvisioner, csiSidecars, SIDECAR_NAMES, type Sidecar } from './tools.ts';

const DRIVER = 'upstream.csi.test';
const [CLAIM, RESTORED] = ['data', 'restored'];
const WAIT_S = 180;
const metadata = { name: 'upstream' };

const CLASSES = [
	{ apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: DRIVER }, spec: { attachRequired: true } },
	{
		apiVersion: 'storage.k8s.io/v1',
		kind: 'StorageClass',
		metadata,
		provisioner: DRIVER,
		volumeBindingMode: 'WaitForFirstConsumer',
		allowVolumeExpansion: true,
	},
	{ apiVersion: 'snapshot.storage.k8s.io/v1', kind: 'VolumeSnapshotClass', metadata, driver: DRIVER, deletionPolicy: 'Delete' },
];

const SNAPSHOT = {
	apiVersion: 'snapshot.storage.k8s.io/v1',
	kind: 'VolumeSnapshot',
	metadata,
	spec: { volumeSnapshotClassName: metadata.name, source: { persistentVolumeClaimName: CLAIM } },
};

function claim(name: string, storage: string, dataSource?: object): object {
	const spec = { storageClassName: metadata.name, accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, dataSource };
	return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec };
}

/** Of the claim of its name. */
function pod(name: string, image: string): object {
	const command = ['sh', '-c', 'trap "exit 0" TERM; while true; do sleep 0.1; done'];
	const spec = {
		terminationGracePeriodSeconds: 1,
		volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }],
		containers: [{ name: 'c', image, command, volumeMounts: [{ name: 'v', mountPath: '/data' }] }],
	};
	return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
}

test('upstream’s sidecars provision, attach, resize, snapshot, restore and delete', async (t) => {
	t.timeout(900_000);
	const [image, kubectlPath, sidecars, provisioner] = await Promise.all([busyboxImage(), kubectl(), csiSidecars(), csiProvisioner()]);
	await using cluster = await testCluster('sidecars');
	await cluster.up();
	const k = new Kubectl(kubectlPath, cluster, 'default');
	const get = (...args: readonly string[]): Promise<string> => k.must(['get', ...args]);
	const wait = (what: string, condition: string): Promise<string> =>
		k.must(['wait', what, `--for=${condition}`, `--timeout=${WAIT_S}s`], { timeoutMs: (WAIT_S + 20) * 1000 });
	const exec = (name: string, script: string): Promise<string> => k.must(['exec', name, '--', 'sh', '-c', script]);
	const writers = async (...what: readonly string[]): Promise<readonly string[]> =>
		(await get(...what, '--show-managed-fields', '-o', 'jsonpath={..metadata.managedFields[*].manager}')).split(' ');

	// The agent's and the sidecars' side of one driver.
	const [nodeDir, pool] = [join(cluster.dataDir, 'node'), join(cluster.dir, 'pool')];
	const socket = join(cluster.dir, 'csi.sock');
	const node = await get('nodes', '-o', 'jsonpath={.items[0].metadata.name}');
	const flags = { listen: socket, 'data-dir': pool, 'driver-name': DRIVER, 'node-id': node, 'target-roots': nodeDir };
	const registration = ['--registration-dir', join(nodeDir, 'plugins_registry')];
	const driverFlags = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
	await using running = new AsyncDisposableStack();
	running.defer(() => unmountBelow(nodeDir));
	running.use(new Running(process.execPath, [LAUNCHER, 'csi', ...driverFlags, ...registration], cluster.env));
	await eventually('the driver is registered', async () => (await k.run(['get', 'csinode', node, '-o', 'json'])).stdout.includes(DRIVER));
	const roles = new Map<Sidecar | 'csi-provisioner', Running>();
	const link = ['--csi-address', socket, '--kubeconfig', cluster.env['KUBECONFIG'] ?? ''];
	for (const name of SIDECAR_NAMES) roles.set(name, running.use(new Running(join(sidecars, name), [...link, '--v=4'], cluster.env)));
	const capacity = ['--enable-capacity', '--capacity-ownerref-level=-1', '--feature-gates=Topology=true'];
	roles.set(
		'csi-provisioner',
		running.use(new Running(provisioner, [...link, ...capacity, '--v=4'], { ...cluster.env, NAMESPACE: 'kube-system' })),
	);
	try {
		await wait('crd/volumesnapshotclasses.snapshot.storage.k8s.io', 'create');
		await wait('crd/volumesnapshotclasses.snapshot.storage.k8s.io', 'condition=Established');
		await k.apply(...CLASSES, claim(CLAIM, '32Mi'), pod(CLAIM, image));
		await wait(`pod/${CLAIM}`, 'condition=Ready');
		await exec(CLAIM, 'echo kept > /data/word; sync');
		const volume = `pv/${await get(`pvc/${CLAIM}`, '-o', 'jsonpath={.spec.volumeName}')}`;
		const provisioned = (names: readonly string[]): boolean => names.some((name) => name.startsWith('csi-provisioner'));
		t.true(provisioned(await writers(volume)));
		await eventually('the capacity is told', async () => provisioned(await writers('csistoragecapacities', '-n', 'kube-system')));
		t.true((await writers('volumeattachments')).includes('csi-attacher'));

		// Where ext4 cannot grow in use it does so at the next stage.
		await k.must(['delete', 'pod', CLAIM], { timeoutMs: WAIT_S * 1000 });
		await eventually('it is detached', async () => (await get('volumeattachments', '-o', 'name')) === '', WAIT_S * 1000);
		await k.must(['patch', 'pvc', CLAIM, '-p', JSON.stringify({ spec: { resources: { requests: { storage: '64Mi' } } } })]);
		await wait(volume, 'jsonpath={.spec.capacity.storage}=64Mi');
		await k.apply(pod(CLAIM, image));
		await wait(`pvc/${CLAIM}`, 'jsonpath={.status.capacity.storage}=64Mi');
		t.true((await writers(volume)).includes('csi-resizer'));
		await wait(`pod/${CLAIM}`, 'condition=Ready');
		t.is(await exec(CLAIM, 'cat /data/word'), 'kept\n');
		t.true(Number((await exec(CLAIM, 'df -m /data | tail -1')).trim().split(/\s+/)[1]) > 40);

		await k.apply(SNAPSHOT);
		await wait(`volumesnapshot/${metadata.name}`, 'jsonpath={.status.readyToUse}=true');
		t.true((await writers('volumesnapshotcontents')).includes('csi-snapshotter'));
		await exec(CLAIM, 'echo later > /data/word; sync');
		const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: SNAPSHOT.kind, name: metadata.name };
		await k.apply(claim(RESTORED, '64Mi', dataSource), pod(RESTORED, image));
		await wait(`pod/${RESTORED}`, 'condition=Ready');
		t.is(await exec(RESTORED, 'cat /data/word'), 'kept\n');

		await k.must(['delete', 'pod', CLAIM, RESTORED], { timeoutMs: WAIT_S * 1000 });
		await k.must(['delete', 'volumesnapshot', metadata.name], { timeoutMs: WAIT_S * 1000 });
		await k.must(['delete', 'pvc', CLAIM, RESTORED], { timeoutMs: WAIT_S * 1000 });
		const left = (): Promise<string> => get('pv,volumeattachments,volumesnapshotcontents', '-o', 'name');
		await eventually('all is gone', async () => (await left()) === '', WAIT_S * 1000);
		for (const folder of ['volumes', 'snapshots']) t.deepEqual(await readdir(join(pool, folder)), []);
	} catch (error) {
		for (const [name, { output }] of roles) t.log(name, output.slice(-3000));
		throw error;
	}
});
