/** Volumes on a real engine: claims, raw devices and volumes in a pod's own words through CSI drivers, kept while the agent is away, gone with their pods. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { createCsiDriver } from '../../csi/driver.ts';
import { ControllerService, VolumeCapability_AccessMode_Mode as Mode } from '../../wire/gen/csi.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import { killHard, pidsOf } from '../crash/victims.ts';
import { fakeCsiNode } from '../fakes/csi-node.ts';
import { eventually } from '../tools/eventually.ts';
import { busyboxImage } from '../tools/images.ts';
import { kubectl } from '../tools/kubectl.ts';
import { Kubectl, testCluster } from './cluster.ts';

const image = await busyboxImage();
const path = await kubectl();
const DRIVER = 'volumes.test.kubeling.dev';
const INLINE = 'inline.test.kubeling.dev';
const ATTACHED = 'attached.test.kubeling.dev';
const MIB = 1024 ** 2;
const loop = ['sh', '-c', 'trap "exit 0" TERM; while true; do sleep 0.1; done'];

async function until(look: () => Promise<string>, wanted: RegExp): Promise<string> {
	let seen = '';
	return eventually(
		() => `${wanted.source}; seen: ${seen}`,
		async () => {
			seen = await look().catch((error: Error) => error.message);
			return wanted.test(seen) ? seen : undefined;
		},
	);
}

test('volumes on a real engine', async (t) => {
	await using cluster = await testCluster('volumes');
	const node = join(cluster.dataDir, 'node');
	const stop = new AbortController();
	const ready = Promise.withResolvers<void>();
	await cluster.up();
	const k = new Kubectl(path, cluster, 'default');
	const nodeName = (await k.must(['get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}'])).trim();
	const socketPath = join(node, 'plugins', DRIVER, 'csi.sock');
	const driver = createCsiDriver(
		{
			driverName: DRIVER,
			version: 'test',
			role: 'all',
			socketPath,
			dataDir: join(cluster.dir, 'pool'),
			runDir: join(cluster.dir, 'run'),
			nodeId: 'here',
			maxVolumesPerNode: 20,
			targetRoots: [node],
			backends: ['loop'],
			registrationDir: join(node, 'plugins_registry'),
		},
		{ clock: realClock, log: noLog, metrics: createMetrics() },
	).run(stop.signal, ready.resolve);
	await ready.promise;
	const controller = await grpcClient(ControllerService, { address: `unix://${socketPath}`, clock: realClock });
	try {
		await body();
	} finally {
		controller.close();
		stop.abort();
		await driver;
	}

	async function body(): Promise<void> {
		const mounts = async (): Promise<readonly string[]> =>
			(await readFile('/proc/self/mountinfo', 'utf8'))
				.split('\n')
				.filter((line) => line.includes(cluster.dataDir) && /csi|loop/.test(line));
		const exec = (pod: string, script: string): Promise<string> => k.must(['exec', pod, '--', 'sh', '-c', script]);
		const claim = async (name: string, block = false): Promise<void> => {
			const access = block
				? { $case: 'block' as const, value: {} }
				: { $case: 'mount' as const, value: { fsType: 'ext4', mountFlags: [], volumeMountGroup: '' } };
			const { volume } = await controller.createVolume({
				name,
				capacityRange: { requiredBytes: BigInt(32 * MIB), limitBytes: 0n },
				volumeCapabilities: [{ accessType: access, accessMode: { mode: Mode.SINGLE_NODE_MULTI_WRITER } }],
				parameters: {},
				secrets: {},
				volumeContentSource: undefined,
				accessibilityRequirements: undefined,
				mutableParameters: {},
			});
			await bind(
				name,
				{ driver: DRIVER, volumeHandle: volume?.volumeId, ...(block ? {} : { fsType: 'ext4' }), volumeAttributes: volume?.volumeContext },
				block,
			);
		};
		/** A claim and its volume, bound to each other by hand. */
		const bind = async (name: string, csi: object, block = false): Promise<void> => {
			const shared = { accessModes: ['ReadWriteOnce'], volumeMode: block ? 'Block' : 'Filesystem', storageClassName: '' };
			await k.apply({
				apiVersion: 'v1',
				kind: 'PersistentVolumeClaim',
				metadata: { name },
				spec: { ...shared, volumeName: `pv-${name}`, resources: { requests: { storage: '32Mi' } } },
			});
			const uid = await k.must(['get', 'pvc', name, '-o', 'jsonpath={.metadata.uid}']);
			await k.apply({
				apiVersion: 'v1',
				kind: 'PersistentVolume',
				metadata: { name: `pv-${name}` },
				spec: {
					...shared,
					capacity: { storage: '32Mi' },
					persistentVolumeReclaimPolicy: 'Retain',
					claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name, uid },
					csi,
				},
			});
			const status = { status: { phase: 'Bound', capacity: { storage: '32Mi' }, accessModes: shared.accessModes } };
			await k.must(['patch', 'pvc', name, '--subresource=status', '-p', JSON.stringify(status)]);
		};
		const attach = async (uses: string): Promise<void> => {
			const name = `csi-${createHash('sha256').update(`there${ATTACHED}${nodeName}`).digest('hex')}`;
			const source = { persistentVolumeName: 'pv-attached' };
			await k.apply({
				apiVersion: 'storage.k8s.io/v1',
				kind: 'VolumeAttachment',
				metadata: { name },
				spec: { attacher: ATTACHED, nodeName, source },
			});
			const status = { attached: true, attachmentMetadata: { device: 'x1' } };
			await k.must(['patch', 'volumeattachment', name, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
			const node = { status: { volumesAttached: [{ name: uses, devicePath: '' }] } };
			await k.must(['patch', 'node', nodeName, '--subresource=status', '--type=merge', '-p', JSON.stringify(node)]);
		};
		const pod = (name: string, spec: object): object => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
		const readyPod = (name: string): Promise<string> => k.must(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=110s']);
		const claimed = (claimName: string): object => ({ name: 'v', persistentVolumeClaim: { claimName } });

		// The node says which drivers it has.
		await until(() => k.must(['get', 'csinode', nodeName, '-o', 'jsonpath={.spec.drivers[*]}']), new RegExp(`"name":"${DRIVER}"`));
		t.regex(await k.must(['get', 'node', nodeName, '-o', 'jsonpath={.metadata.annotations}']), new RegExp(`${DRIVER}\\\\":\\\\"here`));
		await k.apply({
			apiVersion: 'storage.k8s.io/v1',
			kind: 'CSIDriver',
			metadata: { name: DRIVER },
			spec: { attachRequired: false, fsGroupPolicy: 'File' },
		});

		// A claim in a pod: mounted, of the size asked for, of the pod's group.
		await claim('files');
		const before = await mounts();
		await k.apply(
			pod('files', {
				securityContext: { fsGroup: 1234 },
				volumes: [claimed('files')],
				containers: [
					{
						name: 'c',
						image,
						command: loop,
						volumeMounts: [
							{ name: 'v', mountPath: '/data' },
							{ name: 'v', mountPath: '/below', subPath: 'a/b' },
						],
					},
				],
			}),
		);
		await readyPod('files');
		await exec('files', 'echo kept > /data/word; echo under > /below/word; sync');
		t.is(await exec('files', 'cat /data/word /data/a/b/word'), 'kept\nunder\n');
		t.regex(await exec('files', 'df -m /data | tail -1'), / (2\d|3[0-2]) /);
		t.is((await exec('files', 'stat -c %g /data')).trim(), '1234');

		// A second pod on the node has the same files; a raw device is the volume itself.
		await claim('raw', true);
		await k.apply(
			pod('second', {
				volumes: [claimed('files')],
				containers: [{ name: 'c', image, command: loop, volumeMounts: [{ name: 'v', mountPath: '/data' }] }],
			}),
			pod('raw', {
				volumes: [claimed('raw')],
				containers: [{ name: 'c', image, command: loop, volumeDevices: [{ name: 'v', devicePath: '/dev/volume' }] }],
			}),
		);
		await Promise.all([readyPod('second'), readyPod('raw')]);
		t.is(await exec('second', 'cat /data/word'), 'kept\n');
		await exec('raw', 'test -b /dev/volume && echo raw bytes | dd of=/dev/volume conv=fsync 2>/dev/null');
		t.is(await exec('raw', 'head -c 9 /dev/volume'), 'raw bytes');

		// A volume that only the pod knows of; the driver is told whose it is.
		await using inline = await fakeCsiNode({
			...{ name: INLINE, dir: join(node, 'plugins', INLINE), registrationDir: join(node, 'plugins_registry') },
			...{ capabilities: [], mounts: true },
		});
		await k.apply({
			apiVersion: 'storage.k8s.io/v1',
			kind: 'CSIDriver',
			metadata: { name: INLINE },
			spec: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Ephemeral'], tokenRequests: [{ audience: 'vault' }] },
		});
		const own = { name: 'v', csi: { driver: INLINE, volumeAttributes: { colour: 'blue' } } };
		await k.apply(
			pod('inline', {
				volumes: [own],
				containers: [{ name: 'c', image, command: loop, volumeMounts: [{ name: 'v', mountPath: '/own' }] }],
			}),
		);
		await readyPod('inline');
		await exec('inline', 'echo mine > /own/word');
		const [publish] = inline.calls;
		const context = publish?.request['volumeContext'] as Record<string, string>;
		t.like(context, { colour: 'blue', 'csi.storage.k8s.io/pod.name': 'inline', 'csi.storage.k8s.io/ephemeral': 'true' });
		t.regex(context['csi.storage.k8s.io/serviceAccount.tokens'] ?? '', /^\{"vault":\{"token":"ey/);

		// An image's files; what volumes hold is told.
		const files = { name: 'v', image: { reference: image, pullPolicy: 'IfNotPresent' } };
		await k.apply(
			pod('image', {
				volumes: [files],
				containers: [{ name: 'c', image, command: loop, volumeMounts: [{ name: 'v', mountPath: '/image' }] }],
			}),
		);
		await readyPod('image');
		t.is((await exec('image', 'ls /image/bin/busybox')).trim(), '/image/bin/busybox');
		const raw = (of: string): Promise<string> => k.must(['get', '--raw', `/api/v1/nodes/${nodeName}/proxy/${of}`]);
		await until(() => raw('metrics'), /kubelet_volume_stats_capacity_bytes\{namespace="default",persistentvolumeclaim="files"\} [23]\d{7}/);
		t.regex(await raw('stats/summary'), /"name":"v","pvcRef":\{"name":"files","namespace":"default"\}/);

		// A volume that is attached elsewhere is waited for: the node says it uses it, the controller that it is there.
		const uses = `kubernetes.io/csi/${ATTACHED}^there`;
		await using attaching = await fakeCsiNode({
			...{ name: ATTACHED, dir: join(node, 'plugins', ATTACHED), registrationDir: join(node, 'plugins_registry'), mounts: true },
		});
		await bind('attached', { driver: ATTACHED, volumeHandle: 'there' });
		await k.apply(
			pod('attached', {
				volumes: [claimed('attached')],
				containers: [{ name: 'c', image, command: loop, volumeMounts: [{ name: 'v', mountPath: '/data' }] }],
			}),
		);
		await until(() => k.must(['get', 'node', nodeName, '-o', 'jsonpath={.status.volumesInUse}']), /there/);
		await attach(uses);
		await readyPod('attached');
		t.deepEqual(attaching.methods(), ['nodeStageVolume', 'nodePublishVolume']);
		t.deepEqual(attaching.calls[0]?.request['publishContext'], { device: 'x1' });

		// The agent dies and comes back: everything stays as it is.
		const mounted = await mounts();
		const ids = (): Promise<string> => k.must(['get', 'pods', '-o', 'jsonpath={.items[*].status.containerStatuses[*].containerID}']);
		const running = await ids();
		await killHard(await pidsOf('daemon', cluster.dataDir));
		await cluster.up();
		await until(() => k.must(['get', 'node', nodeName, '-o', 'jsonpath={.status.volumesInUse}']), /there/);
		await until(ids, new RegExp(`^${running}$`));
		t.deepEqual(await mounts(), mounted);
		t.is(await exec('files', 'cat /data/word'), 'kept\n');
		t.is(await exec('inline', 'cat /own/word'), 'mine\n');
		await until(() => k.must(['get', 'csinode', nodeName, '-o', 'jsonpath={.spec.drivers[*].name}']), new RegExp(INLINE));

		// Gone with the pods, the data is not.
		await k.must(['delete', 'pod', '--all', '--grace-period=1', '--timeout=110s']);
		// The last of it may go after the pods: what is staged, and their folders.
		await eventually('the mounts of before', async () => (await mounts()).join() === before.join());
		await until(async () => (await readdir(join(node, 'pods'))).join(), /^$/);
		const staged = async (): Promise<readonly string[]> => readdir(join(node, 'plugins/kubernetes.io/csi'), { recursive: true });
		await eventually('nothing staged', async () => !(await staged()).some((f) => /globalmount|vol_data|staging\/|publish\//.test(f)));
		t.deepEqual(inline.methods(), ['nodePublishVolume', 'nodeUnpublishVolume']);
		t.true(attaching.methods().slice(-2).join() === 'nodeUnpublishVolume,nodeUnstageVolume');
		await until(() => k.must(['get', 'node', nodeName, '-o', 'jsonpath={.status.volumesInUse}']), /^(\[\])?$/);
	}
});
