/** Volumes on a real engine: claims, raw devices and volumes in a pod's own words through CSI drivers, kept while the agent is away, gone with their pods. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { createCsiDriver } from '../../csi/driver.ts';
import { ControllerService, VolumeCapability_AccessMode_Mode as Mode } from '../../wire/gen/csi.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import { eventually } from '../tools/eventually.ts';
import { busyboxImage } from '../tools/images.ts';
import { kubectl } from '../tools/kubectl.ts';
import { Kubectl, testCluster } from './cluster.ts';

const image = await busyboxImage();
const path = await kubectl();
const DRIVER = 'volumes.test.kubeling.dev';
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
		const apply = async (...objects: readonly object[]): Promise<void> => {
			const file = join(cluster.dir, 'objects.json');
			await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
			await k.must(['apply', '-f', file]);
		};
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
			const shared = { accessModes: ['ReadWriteOnce'], volumeMode: block ? 'Block' : 'Filesystem', storageClassName: '' };
			await apply({
				apiVersion: 'v1',
				kind: 'PersistentVolumeClaim',
				metadata: { name },
				spec: { ...shared, volumeName: `pv-${name}`, resources: { requests: { storage: '32Mi' } } },
			});
			const uid = await k.must(['get', 'pvc', name, '-o', 'jsonpath={.metadata.uid}']);
			await apply({
				apiVersion: 'v1',
				kind: 'PersistentVolume',
				metadata: { name: `pv-${name}` },
				spec: {
					...shared,
					capacity: { storage: '32Mi' },
					persistentVolumeReclaimPolicy: 'Retain',
					claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name, uid },
					csi: {
						driver: DRIVER,
						volumeHandle: volume?.volumeId,
						...(block ? {} : { fsType: 'ext4' }),
						volumeAttributes: volume?.volumeContext,
					},
				},
			});
			const status = { status: { phase: 'Bound', capacity: { storage: '32Mi' }, accessModes: shared.accessModes } };
			await k.must(['patch', 'pvc', name, '--subresource=status', '-p', JSON.stringify(status)]);
		};
		const pod = (name: string, spec: object): object => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
		const readyPod = (name: string): Promise<string> => k.must(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s']);
		const claimed = (claimName: string): object => ({ name: 'v', persistentVolumeClaim: { claimName } });

		// The node says which drivers it has.
		await until(() => k.must(['get', 'csinode', nodeName, '-o', 'jsonpath={.spec.drivers[*]}']), new RegExp(`"name":"${DRIVER}"`));
		t.regex(await k.must(['get', 'node', nodeName, '-o', 'jsonpath={.metadata.annotations}']), new RegExp(`${DRIVER}\\\\":\\\\"here`));
		await apply({
			apiVersion: 'storage.k8s.io/v1',
			kind: 'CSIDriver',
			metadata: { name: DRIVER },
			spec: { attachRequired: false, fsGroupPolicy: 'File' },
		});

		// A claim in a pod: mounted, of the size asked for, of the pod's group.
		await claim('files');
		const before = await mounts();
		await apply(
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

		// Gone with the pod, the data is not.
		await k.must(['delete', 'pod', 'files', '--grace-period=1', '--timeout=60s']);
		t.deepEqual(await mounts(), before);
	}
});
