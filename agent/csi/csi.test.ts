/** Volumes of CSI drivers on virtual time: what drivers are asked, what the API is told, and what waits for what. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { CSIDriver, CSINode, PersistentVolume, PersistentVolumeClaim, PodSpec } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { bindMount, unmount } from '../../host/mounts.ts';
import { claimOf, driverObject, MemoryNode, NAME, volumeOf } from '../../test/fakes/memory-node.ts';
import { c, playing, statusOf } from '../../test/fakes/playing.ts';
import type { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import type { NodeServiceCapability_RPC_Type as Type } from '../../wire/gen/csi.ts';
import { keepAllocatable } from './allocatable.ts';
import { RpcError } from '../../wire/grpc/status.ts';
import { attachmentName, inlineHandle, publishFolder, stagingFolder } from './names.ts';
import { VolumeLabels } from './selinux.ts';

const usingClaim: Partial<PodSpec> = {
	containers: [c({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })],
	volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }],
};

interface Bench extends AsyncDisposable {
	readonly node: SimulatedNode;
	readonly fake: MemoryNode;
	set(kind: 'claim' | 'volume' | 'driver', object: object): void;
	phase(name?: string): string | undefined;
}

async function bench(
	objects: { readonly claim?: PersistentVolumeClaim; readonly volume?: PersistentVolume; readonly driver?: CSIDriver } = {},
	capabilities: readonly (keyof typeof Type)[] = ['STAGE_UNSTAGE_VOLUME', 'EXPAND_VOLUME'],
): Promise<Bench> {
	const { node } = await playing();
	const fake = new MemoryNode(capabilities);
	const { api } = node.transport;
	node.context.csi.drivers.set(fake.driver);
	api.create('/api/v1/secrets', { metadata: { name: 's' }, data: { key: Buffer.from('value').toString('base64') } } as never, 'n');
	api.create('/apis/storage.k8s.io/v1/csidrivers', (objects.driver ?? driverObject({ attachRequired: false })) as never, undefined);
	api.create('/api/v1/persistentvolumes', (objects.volume ?? volumeOf()) as never, undefined);
	api.create('/api/v1/persistentvolumeclaims', (objects.claim ?? claimOf()) as never, 'n');
	const uid = (api.get('/api/v1/persistentvolumeclaims', 'n/claim') as PersistentVolumeClaim).metadata.uid;
	const pv = structuredClone(api.get('/api/v1/persistentvolumes', 'pv')) as PersistentVolume;
	if (pv.spec?.claimRef !== undefined) pv.spec.claimRef.uid = uid;
	api.update('/api/v1/persistentvolumes', 'pv', pv as never);
	return {
		...{ node, fake },
		set(kind, object) {
			const [collection, key] = {
				claim: ['/api/v1/persistentvolumeclaims', 'n/claim'],
				volume: ['/api/v1/persistentvolumes', 'pv'],
				driver: ['/apis/storage.k8s.io/v1/csidrivers', NAME],
			}[kind] as [string, string];
			api.update(collection, key, { ...api.get(collection, key), ...object } as never);
		},
		phase: (name = 'p') => node.pod(name)?.status?.phase,
		[Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
	};
}

test('a claim is staged and published with its secrets and attributes, and both are undone after its last pod', async (t) => {
	await using b = await bench();
	await b.node.create('p', usingClaim);
	t.is(b.phase(), 'Running');
	const staging = join(stagingFolder(b.node.rootDir, NAME, 'handle'), 'globalmount');
	const target = (pod: string): string =>
		join(b.node.rootDir, 'pods', b.node.pod(pod)?.metadata.uid ?? '', 'volumes/kubernetes.io~csi/pv/mount');
	const first = target('p');
	const [stage, publish] = b.fake.calls;
	t.like(stage?.[1], { volumeId: 'handle', stagingTargetPath: staging, secrets: { key: 'value' }, volumeContext: { a: 'b' } });
	t.like(publish?.[1], { volumeId: 'handle', stagingTargetPath: staging, targetPath: first, readonly: false, volumeContext: { a: 'b' } });
	t.like(JSON.parse(await readFile(join(first, '../vol_data.json'), 'utf8')), {
		driverName: NAME,
		volumeHandle: 'handle',
		specVolID: 'pv',
	});
	await b.node.create('q', usingClaim);
	t.is(b.fake.methods, 'stage publish publish', 'staged once for the node');
	await b.node.delete('p', 1);
	await b.node.advance(2000);
	t.is(b.fake.methods, 'stage publish publish unpublish');
	await b.node.delete('q', 1);
	await b.node.advance(2000);
	t.is(b.fake.methods, 'stage publish publish unpublish unpublish unstage');
	t.deepEqual([b.node.pod('p'), b.node.pod('q'), existsSync(staging), existsSync(first)], [undefined, undefined, false, false]);
});

test('with SELinux a volume of a single pod is mounted with its label, and a pod whose containers differ is told why it has none', async (t) => {
	await using b = await bench({
		volume: volumeOf({ accessModes: ['ReadWriteOncePod'] }),
		driver: driverObject({ attachRequired: false, seLinuxMount: true }),
	});
	Object.assign(b.node.context.csi, { labels: new VolumeLabels(() => true) });
	const container = (name: string, level: string) =>
		c({ name, volumeMounts: [{ name: 'v', mountPath: '/v' }], securityContext: { seLinuxOptions: { level } } });
	await b.node.create('p', { ...usingClaim, containers: [container('c', 's0:c1'), container('d', 's0:c2')] });
	t.is(b.phase(), 'Pending');
	const label = 'system_u:object_r:container_file_t:s0';
	const why = `failed to process volumes=[v]: multiple SELinux labels found: ${label}:c1,${label}:c2`;
	const event = `FailedMount: Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], ${why}`;
	t.true(b.node.events('p').includes(event), b.node.events('p').join('\n'));
	t.is(b.fake.methods, '');
	await b.node.delete('p', 1);
	await b.node.create('q', { ...usingClaim, containers: [container('c', 's0:c1')] });
	t.is(b.phase('q'), 'Running');
	const mount = { fsType: 'ext4', mountFlags: [`context="${label}:c1"`], volumeMountGroup: '' };
	t.like(b.fake.calls[0]?.[1], { volumeCapability: { accessType: { $case: 'mount', value: mount } } });
});

test('what one life of the agent mounted, the next takes down', async (t) => {
	await using b = await bench();
	await b.node.create('p', usingClaim);
	await b.node.stopAgent();
	b.fake.calls.length = 0;
	await b.node.startAgent();
	await b.node.advance(1000);
	t.is(b.fake.methods, '', 'a pod that runs has all that it needs');
	await b.node.delete('p', 1);
	await b.node.advance(2000);
	t.is(b.fake.methods, 'unpublish unstage');
	t.is(b.node.pod('p'), undefined);
});

test('a container starts anew with the volumes there are, though the API does not answer for claims and the driver is away', async (t) => {
	await using b = await bench();
	await b.node.create('p', usingClaim);
	b.fake.calls.length = 0;
	b.node.context.csi.drivers.delete(NAME);
	b.node.transport.intercept = ({ collection }) => {
		if (collection.includes('persistentvolume')) throw new AppError('Unavailable', 'away');
	};
	const uid = b.node.pod('p')?.metadata.uid ?? '';
	const container = (await b.node.runtime.pod(uid))?.containers[0]?.id ?? '';
	await b.node.runtime.stopContainer(container, 0, new AbortController().signal);
	await b.node.advance(30_000);
	t.is(statusOf(b.node.pod('p'))?.restartCount, 1);
	t.is(b.fake.methods, '');
	b.node.transport.intercept = () => {};
	b.node.context.csi.drivers.set(b.fake.driver);
});

test('a pod does not go before its volume is taken down', async (t) => {
	await using b = await bench();
	await b.node.create('p', usingClaim);
	b.fake.faults.set('unpublish', new RpcError('Internal', 'busy'));
	await b.node.delete('p', 1);
	await b.node.advance(5000);
	t.truthy(b.node.pod('p'));
	t.false(b.fake.methods.includes('unstage'));
	b.fake.faults.clear();
	await b.node.advance(15_000);
	t.is(b.node.pod('p'), undefined);
});

for (const [name, objects, fault, want] of [
	[
		'a claim that is not bound',
		{ claim: claimOf({ phase: 'Pending' }) },
		undefined,
		/^FailedMount: Unable to attach or mount volumes: unmounted volumes=\[v\], unattached volumes=\[\], failed to process volumes=\[v\]: error processing PVC n\/claim: PVC is not bound$/,
	],
	[
		'a volume of another claim',
		{ volume: volumeOf({ claimRef: undefined }) },
		undefined,
		/error processing PVC n\/claim: found PV object pv but it has a nil pv\.Spec\.ClaimRef/,
	],
	[
		'a device that is mounted',
		{ volume: volumeOf({ volumeMode: 'Block' }) },
		undefined,
		/volume v has volumeMode Block, but is specified in volumeMounts$/,
	],
	[
		'a driver that fails to stage',
		{},
		'stage',
		/^FailedMount: MountVolume\.MountDevice failed for volume "pv" : rpc error: code = Internal desc = no luck$/,
	],
	[
		'a driver that fails to publish',
		{},
		'publish',
		/^FailedMount: MountVolume\.SetUp failed for volume "pv" : rpc error: code = Internal desc = no luck$/,
	],
	[
		'a volume that nobody attaches',
		{ driver: driverObject() },
		undefined,
		/^FailedMount: Unable to attach or mount volumes: unmounted volumes=\[v\], unattached volumes=\[v\], failed to process volumes=\[\]: context deadline exceeded$/,
	],
] as const)
	test(`a pod waits and says why: ${name}`, async (t) => {
		await using b = await bench(objects as Parameters<typeof bench>[0]);
		if (fault !== undefined) b.fake.faults.set(fault, new RpcError('Internal', 'no luck'));
		await b.node.create('p', usingClaim);
		await b.node.advance(130_000);
		t.is(b.phase(), 'Pending');
		t.true(
			b.node.events('p').some((e) => want.test(e)),
			b.node.events('p').join('\n'),
		);
	});

test('a claim is used as soon as it is bound, and a driver as soon as it is here', async (t) => {
	await using b = await bench({ claim: claimOf({ phase: 'Pending' }) });
	b.node.context.csi.drivers.delete(NAME);
	await b.node.create('p', usingClaim);
	b.set('claim', { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
	await b.node.advance(2000);
	t.true(
		b.node
			.events('p')
			.includes(
				`FailedMount: MountVolume.SetUp failed for volume "pv" : driver name ${NAME} not found in the list of registered CSI drivers`,
			),
	);
	b.node.context.csi.drivers.set(b.fake.driver);
	for (const uid of b.node.context.csi.takeWaiting(NAME)) b.node.workers.wake(uid);
	await b.node.advance(0);
	t.is(b.phase(), 'Running');
});

test('an attached volume: in use is said first, then the controller and the driver are waited for', async (t) => {
	await using b = await bench({ driver: driverObject() });
	await b.node.create('p', usingClaim);
	await b.node.advance(1000);
	const name = `kubernetes.io/csi/${NAME}^handle`;
	t.deepEqual(b.node.context.csi.inUse(), [name]);
	b.node.node = { metadata: { name: 'node' }, status: { volumesInUse: [name], volumesAttached: [{ name, devicePath: '' }] } };
	const asked = (): boolean => b.node.transport.requests.some(({ collection }) => collection.endsWith('/volumeattachments'));
	t.false(asked());
	await b.node.advance(0);
	t.true(asked(), 'at once');
	await b.node.advance(1000);
	t.is(b.fake.methods, '', 'not before the VolumeAttachment says so');
	const attachment = {
		metadata: { name: attachmentName('handle', NAME, 'node') },
		status: { attached: true, attachmentMetadata: { x: 'y' } },
	};
	b.node.transport.api.create('/apis/storage.k8s.io/v1/volumeattachments', attachment as never, undefined);
	await b.node.advance(3000);
	t.is(b.phase(), 'Running');
	t.deepEqual(
		b.fake.calls.map(([, request]) => request['publishContext']),
		[{ x: 'y' }, { x: 'y' }],
	);
	await b.node.delete('p', 1);
	await b.node.advance(2000);
	t.deepEqual(b.node.context.csi.inUse(), []);
});

test('a driver is asked how many volumes the node may have as often as its object says', async (t) => {
	await using b = await bench({ driver: driverObject({ nodeAllocatableUpdatePeriodSeconds: 30 }) });
	b.node.transport.api.create('/api/v1/nodes', { metadata: { name: 'node' } } as never, undefined);
	const stop = new AbortController();
	const keeping = keepAllocatable(b.node.context, stop.signal);
	const count = (): number | undefined => {
		const found = b.node.transport.api.get('/apis/storage.k8s.io/v1/csinodes', 'node') as CSINode | undefined;
		return found?.spec.drivers?.[0]?.allocatable?.count;
	};
	b.fake.maxVolumes = 5;
	await b.node.advance(29_000);
	t.is(b.fake.methods, '', 'it was asked when it registered');
	await b.node.advance(2000);
	t.deepEqual([b.fake.methods, count()], ['info', 5]);
	b.fake.maxVolumes = 4;
	b.set('driver', driverObject({ nodeAllocatableUpdatePeriodSeconds: 10 }));
	await b.node.advance(11_000);
	t.is(count(), 4, 'a new period counts from when it is known');
	b.set('driver', driverObject());
	await b.node.advance(100_000);
	t.is(b.fake.methods, 'info info', 'without a period not at all');
	stop.abort();
	await keeping;
});

for (const [name, spec, errorCode, refused] of [
	['a full node', { nodeAllocatableUpdatePeriodSeconds: 600 }, 8, true],
	['a full node whose driver says nothing of it', {}, 8, false],
	['another failure', { nodeAllocatableUpdatePeriodSeconds: 600 }, 13, false],
] as const)
	test(`a volume that cannot be attached: ${name}`, async (t) => {
		await using b = await bench({ driver: driverObject(spec) });
		b.node.transport.api.create('/api/v1/nodes', { metadata: { name: 'node' } } as never, undefined);
		const attachment = {
			metadata: { name: attachmentName('handle', NAME, 'node') },
			status: { attached: false, attachError: { message: 'no room', errorCode } },
		};
		b.node.transport.api.create('/apis/storage.k8s.io/v1/volumeattachments', attachment as never, undefined);
		await b.node.create('p', usingClaim);
		await b.node.advance(125_000);
		const { phase, reason, message = '' } = b.node.pod('p')?.status ?? {};
		if (!refused) return void t.is(phase, 'Pending');
		t.deepEqual([phase, reason], ['Failed', 'VolumeAttachmentLimitExceeded']);
		t.regex(
			message,
			/^Pod was rejected: Node has reached its volume attachment limit, rejecting pod\. unmounted volumes=\[v\], unattached volumes=\[v\], failed to process volumes=\[\]: /,
		);
		t.is(b.fake.methods, 'info', 'the driver has been asked again');
		const seen = await b.node.runtime.pod(b.node.pod('p')?.metadata.uid ?? '');
		t.false(seen?.sandboxes.some(({ ready }) => ready) ?? false, 'nothing of it runs');
	});

test('ReadWriteOncePod: a second pod waits for the first to go', async (t) => {
	await using b = await bench({ volume: volumeOf({ accessModes: ['ReadWriteOncePod'] }) });
	await b.node.create('p', usingClaim);
	await b.node.create('q', usingClaim);
	await b.node.advance(1000);
	t.is(b.phase('q'), 'Pending');
	t.true(b.node.events('q').some((e) => e.endsWith('volume uses the ReadWriteOncePod access mode and is already in use by another pod')));
	await b.node.delete('p', 1);
	await b.node.advance(15_000);
	t.is(b.phase('q'), 'Running');
});

test('a claim that grew: the driver expands it and the claim says so', async (t) => {
	const pending = { type: 'FileSystemResizePending', status: 'True' };
	await using b = await bench({
		claim: claimOf({ phase: 'Bound', capacity: { storage: '1Gi' }, conditions: [pending] }),
		volume: volumeOf({ capacity: { storage: '2Gi' } }),
	});
	await b.node.create('p', usingClaim);
	t.is(b.fake.methods, 'stage publish expand');
	t.like(b.fake.calls[2]?.[1], { volumeId: 'handle', capacityRange: { requiredBytes: 2n * 1024n ** 3n, limitBytes: 0n } });
	const patches = b.node.transport.requests.filter((r) => r.method === 'PATCH' && r.subresource === 'status' && r.name === 'claim');
	t.deepEqual(
		patches.map((r) => (r.body as PersistentVolumeClaim).status),
		[
			{ allocatedResourceStatuses: { storage: 'NodeResizeInProgress' } },
			{ capacity: { storage: '2Gi' }, conditions: [], allocatedResourceStatuses: { storage: null } } as never,
		],
	);
	t.true(b.node.events('p').includes('FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "pv" node'));
});

test("a generic ephemeral volume must be the pod's own", async (t) => {
	await using b = await bench();
	const claim = { ...claimOf(), metadata: { name: 'p-v' } };
	b.node.transport.api.create('/api/v1/persistentvolumeclaims', claim as never, 'n');
	await b.node.create('p', { ...usingClaim, volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec: {} } } }] });
	await b.node.advance(1000);
	t.is(b.phase(), 'Pending');
	t.true(
		b.node.events('p').some((e) => e.endsWith('error processing PVC n/p-v: PVC n/p-v was not created for pod n/p (pod is not owner)')),
	);
});

test("an inline volume: published with the pod's facts, never staged, gone with the pod", async (t) => {
	await using b = await bench({
		driver: driverObject({ attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Ephemeral'] }),
	});
	await b.node.create('p', {
		...usingClaim,
		volumes: [{ name: 'v', csi: { driver: NAME, readOnly: true, volumeAttributes: { a: 'b' } } }],
	});
	t.is(b.phase(), 'Running');
	const uid = b.node.pod('p')?.metadata.uid ?? '';
	const [publish] = b.fake.calls;
	t.like(publish?.[1], { volumeId: inlineHandle(uid, 'v'), stagingTargetPath: '', readonly: true });
	t.like(publish?.[1]['volumeContext'], { a: 'b', 'csi.storage.k8s.io/pod.uid': uid, 'csi.storage.k8s.io/ephemeral': 'true' });
	await b.node.delete('p', 1);
	await b.node.advance(2000);
	t.is(b.fake.methods, 'publish unpublish');
	t.deepEqual(await readdir(join(b.node.rootDir, 'pods')), []);
});

test('a driver that asks for it is called again while the pod runs', async (t) => {
	await using b = await bench({
		driver: driverObject({ attachRequired: false, requiresRepublish: true, volumeLifecycleModes: ['Ephemeral'] }),
	});
	await b.node.create('p', { ...usingClaim, volumes: [{ name: 'v', csi: { driver: NAME } }] });
	t.is(b.fake.methods, 'publish');
	b.fake.faults.set('publish', new RpcError('Internal', 'not now'));
	await b.node.advance(95_000);
	t.true(b.fake.methods.startsWith('publish publish'));
	t.is(b.phase(), 'Running', 'a failure of it leaves the pod as it is');
});

(process.getuid?.() === 0 ? test : test.skip)(
	'what an earlier life has published is known after the driver refuses to do it again',
	async (t) => {
		await using b = await bench({
			driver: driverObject({ attachRequired: false, requiresRepublish: true, volumeLifecycleModes: ['Ephemeral'] }),
		});
		await b.node.create('p', { ...usingClaim, volumes: [{ name: 'v', csi: { driver: NAME } }] });
		const folder = publishFolder(b.node.rootDir, b.node.pod('p')?.metadata.uid ?? '', 'v');
		await bindMount(b.node.rootDir, join(folder, 'mount'));
		try {
			b.node.context.csi.done.clear();
			b.fake.faults.set('publish', new RpcError('PermissionDenied', 'no more'));
			await b.node.advance(95_000);
			t.true(b.fake.methods.startsWith('publish publish'));
			t.true(existsSync(join(folder, 'vol_data.json')), 'or nobody would take it down');
		} finally {
			await unmount(join(folder, 'mount'));
		}
	},
);
