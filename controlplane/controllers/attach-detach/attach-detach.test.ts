import test from 'ava';
import type { Node, PersistentVolume, Pod, VolumeAttachment } from '../../../api/gen/types.ts';
import {
	CSI_DRIVERS,
	NODES,
	PERSISTENT_VOLUME_CLAIMS,
	PERSISTENT_VOLUMES,
	PODS,
	SERVICE_ACCOUNTS,
	VOLUME_ATTACHMENTS,
} from '../../../api/resources.ts';
import { attachmentName } from '../../../api/storage/attachment.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { controlledCluster, type ControlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { planNode, type NodeView } from './plan.ts';
import { reportedVolumes } from './reported.ts';
import { multiAttach } from './told.ts';
import { allowsSeveralNodes, wantedBy, type Storage } from './wanted.ts';

const DRIVER = 'csi.example.com';
const pv = (name: string, accessModes: readonly string[] = ['ReadWriteOnce'], more: object = {}): PersistentVolume => ({
	metadata: { name },
	spec: {
		accessModes: [...accessModes],
		csi: { driver: DRIVER, volumeHandle: `h-${name}` },
		claimRef: { namespace: 'n', name: `c-${name}`, uid: `u-${name}` },
		...more,
	},
});
const pod = (name: string, volumes: readonly string[], more: object = {}): Pod => ({
	metadata: { namespace: 'n', name, uid: name, ...more },
	spec: { containers: [], nodeName: 'a', volumes: volumes.map((v) => ({ name: v, persistentVolumeClaim: { claimName: `c-${v}` } })) },
});
const storage = (volumes: readonly PersistentVolume[], attachRequired = true): Storage => ({
	claim: (key) => ({ metadata: { uid: `u-${key.slice(4)}` }, spec: { volumeName: key.slice(4) }, status: { phase: 'Bound' } }),
	volume: (name) => volumes.find((v) => v.metadata.name === name),
	driver: () => ({ metadata: {}, spec: { attachRequired } }),
});
const running = { containerStatuses: [{ state: { running: {} } }] } as unknown as NonNullable<Pod['status']>;
const silent = { containerStatuses: [{ state: {} }] } as unknown as NonNullable<Pod['status']>;

for (const [name, pods, store, want] of [
	['of bound claims, once for all pods', [pod('p', ['x']), pod('q', ['x', 'y'])], storage([pv('x'), pv('y')]), { x: 2, y: 1 }],
	['not of a driver that does not attach', [pod('p', ['x'])], storage([pv('x')], false), {}],
	['not of other kinds', [pod('p', ['x'])], storage([pv('x', [], { csi: undefined })]), {}],
	['not of a volume of another claim', [pod('p', ['x'])], storage([pv('x', [], { claimRef: { uid: 'z' } })]), {}],
	['not of a pod that has ended', [{ ...pod('p', ['x']), status: { phase: 'Succeeded' } }], storage([pv('x')]), {}],
	['not of a pod that is going and runs nothing', [pod('p', ['x'], { deletionTimestamp: 'now' })], storage([pv('x')]), {}],
	[
		'of a pod that is going and runs',
		[{ ...pod('p', ['x'], { deletionTimestamp: 'now' }), status: running }],
		storage([pv('x')]),
		{ x: 1 },
	],
	[
		'of a pod that is going, of whose container nobody says anything',
		[{ ...pod('p', ['x'], { deletionTimestamp: 'now' }), status: silent }],
		storage([pv('x')]),
		{ x: 1 },
	],
] as const)
	test(`wantedBy(): ${name}`, (t) =>
		t.deepEqual(Object.fromEntries([...wantedBy(pods, store)].map(([volume, { pods: users }]) => [volume, users.length])), want));

test('allowsSeveralNodes(): by access modes; none say nothing', (t) => {
	t.false(allowsSeveralNodes(pv('x')));
	t.false(allowsSeveralNodes(pv('x', ['ReadWriteOncePod'])));
	t.true(allowsSeveralNodes(pv('x', ['ReadWriteOnce', 'ReadOnlyMany'])));
	t.true(allowsSeveralNodes(pv('x', [])));
});

const MANAGED = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
const node = (status: object = {}, spec: object = {}, annotations: Record<string, string> = MANAGED): Node => ({
	metadata: { name: 'a', annotations },
	spec,
	status: { conditions: [{ type: 'Ready', status: 'True' }], ...status },
});
const attachment = (volume: string, on = 'a', metadata: object = {}): VolumeAttachment => ({
	metadata: { name: attachmentName({ driver: DRIVER, volumeHandle: `h-${volume}` }, on), ...metadata },
	spec: { attacher: DRIVER, nodeName: on, source: { persistentVolumeName: volume } },
	status: { attached: true },
});
const IN_USE = { volumesInUse: [`kubernetes.io/csi/${DRIVER}^h-x`] };
const DOWN = { conditions: [{ type: 'Ready', status: 'Unknown' }] };
const view = (
	wants: readonly string[],
	attachments: readonly VolumeAttachment[],
	more: { node?: Node | undefined; unwantedMs?: number; modes?: readonly string[] } = {},
): NodeView => {
	const volumes = [pv('x', more.modes), pv('y', more.modes)];
	return {
		name: 'a',
		node: 'node' in more ? more.node : node(),
		wanted: wantedBy([pod('p', wants)], storage(volumes)),
		attachments: attachments.filter(({ spec }) => spec.nodeName === 'a'),
		attachmentsOf: (volume) => attachments.filter(({ spec }) => spec.source.persistentVolumeName === volume),
		volume: (name) => volumes.find((v) => v.metadata.name === name),
		unwantedMs: () => more.unwantedMs ?? 0,
	};
};
const OUT = { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] };

for (const [name, one, want] of [
	['attach what is missing', view(['x', 'y'], [attachment('x')]), ['attach y']],
	['not on a node that attaches by itself', view(['x'], [], { node: node({}, {}, {}) }), []],
	['whatever the node’s word for it', view(['x'], [], { node: node({}, {}, { [Object.keys(MANAGED)[0] ?? '']: '' }) }), ['attach x']],
	['not on a node that is not there', view(['x'], [], { node: undefined }), []],
	['not while another node has it', view(['x'], [attachment('x', 'b')]), ['refuse x b']],
	['silently while it leaves another node', view(['x'], [attachment('x', 'b', { deletionTimestamp: 'now' })]), []],
	['also elsewhere where several may', view(['x'], [attachment('x', 'b')], { modes: ['ReadWriteMany'] }), ['attach x']],
	['not before it has left this node', view(['x'], [attachment('x', 'a', { deletionTimestamp: 'now' })]), []],
	['detach what nobody wants', view([], [attachment('x')]), ['detach x']],
	['once', view([], [attachment('x', 'a', { deletionTimestamp: 'now' })]), []],
	['not while the node uses it', view([], [attachment('x')], { node: node(IN_USE) }), ['await x 360000']],
	['nor later, if it is well', view([], [attachment('x')], { node: node(IN_USE), unwantedMs: 400_000 }), ['await x 360000']],
	[
		'not yet from one that is not well',
		view([], [attachment('x')], { node: node({ ...IN_USE, ...DOWN }), unwantedMs: 300_000 }),
		['await x 60000'],
	],
	['after six minutes', view([], [attachment('x')], { node: node({ ...IN_USE, ...DOWN }), unwantedMs: 360_000 }), ['detach x timeout']],
	['from a node that is gone not yet', view([], [attachment('x')], { node: undefined }), ['await x 360000']],
	[
		'from a node that is gone after six minutes',
		view([], [attachment('x')], { node: undefined, unwantedMs: 360_000 }),
		['detach x timeout'],
	],
	[
		'from one out of service at once',
		view([], [attachment('x')], { node: node({ ...IN_USE, ...DOWN }, OUT) }),
		['detach x out-of-service'],
	],
] as const)
	test(`planNode(): ${name}`, (t) =>
		t.deepEqual(
			planNode(one).map((step) => {
				switch (step.do) {
					case 'attach':
						return `attach ${step.wanted.volume.metadata.name}`;
					case 'refuse':
						return `refuse ${step.wanted.volume.metadata.name} ${step.nodes.join()}`;
					case 'detach':
						return `detach ${step.attachment.spec.source.persistentVolumeName}${step.forced === undefined ? '' : ` ${step.forced}`}`;
					case 'await':
						return `await ${step.attachment.spec.source.persistentVolumeName} ${step.afterMs}`;
				}
			}),
			[...want],
		));

test('reportedVolumes(): what is attached and stays, sorted', (t) => {
	const volumes = [pv('x'), pv('y')];
	const find = (name: string): PersistentVolume | undefined => volumes.find((v) => v.metadata.name === name);
	const given = [attachment('y'), attachment('x'), attachment('z'), { ...attachment('x', 'b'), status: { attached: false } }];
	t.deepEqual(
		reportedVolumes(given, find).map(({ name }) => name),
		[`kubernetes.io/csi/${DRIVER}^h-x`, `kubernetes.io/csi/${DRIVER}^h-y`],
	);
	t.deepEqual(reportedVolumes([attachment('x', 'a', { deletionTimestamp: 'now' })], find), []);
});

const user = (namespace: string, name: string): Pod => ({ metadata: { namespace, name } });
for (const [users, want] of [
	[[], "Volume is already exclusively attached to one node and can't be attached to another"],
	[[user('n', 'p'), user('n', 'q')], 'Volume is already used by pod(s) p, q'],
	[[user('n', 'p'), user('m', 'q')], 'Volume is already used by pod(s) p and 1 pod(s) in different namespaces'],
	[[user('m', 'q')], 'Volume is already used by 1 pod(s) in different namespaces'],
] as const)
	test(`multiAttach(): ${want}`, (t) => t.is(multiAttach(pv('x'), user('n', 'me'), users), `Multi-Attach error for volume "x" ${want}`));

const only = ['persistentvolume-attach-detach-controller'];
const VOLUME = `kubernetes.io/csi/${DRIVER}^h`;

async function prepare({ client }: ControlledCluster, accessModes: readonly string[] = ['ReadWriteOnce']): Promise<void> {
	await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
	for (const name of ['a', 'b']) {
		const made = await client.create(NODES, { metadata: { name, annotations: MANAGED } });
		await client.update(NODES, { ...made, status: { conditions: [{ type: 'Ready', status: 'True' }] } }, { subresource: 'status' });
	}
	const resources = { requests: { storage: '1Gi' } };
	const claim = await client.create(PERSISTENT_VOLUME_CLAIMS, {
		metadata: { namespace: 'default', name: 'c' },
		spec: { accessModes, resources, storageClassName: '', volumeName: 'v' },
	});
	await client.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, status: { phase: 'Bound' } }, { subresource: 'status' });
	await client.create(PERSISTENT_VOLUMES, {
		metadata: { name: 'v' },
		spec: {
			...{ accessModes, capacity: { storage: '1Gi' }, csi: { driver: DRIVER, volumeHandle: 'h' } },
			claimRef: { namespace: 'default', name: 'c', uid: claim.metadata.uid },
		},
	});
}
const start = async ({ client }: ControlledCluster, name: string, nodeName: string): Promise<Pod> =>
	client.create(PODS, {
		metadata: { namespace: 'default', name },
		spec: { nodeName, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }], containers: [{ name: 'c', image: 'i' }] },
	});
/** What an external attacher does. */
const attach = async ({ client }: ControlledCluster, status: object = { attached: true }): Promise<void> => {
	for (const one of (await client.list(VOLUME_ATTACHMENTS)).items)
		await client.update(VOLUME_ATTACHMENTS, { ...one, status: { attached: false, ...status } }, { subresource: 'status' });
};
const uses = async (
	{ client }: ControlledCluster,
	name: string,
	volumesInUse: readonly string[] | null,
	more: object = {},
): Promise<void> => {
	await client.patch(NODES, name, { type: 'merge', body: { status: { volumesInUse, ...more } } }, { subresource: 'status' });
};
const attachedTo = async ({ client }: ControlledCluster): Promise<readonly string[]> =>
	(await client.list(VOLUME_ATTACHMENTS)).items.map(({ spec }) => spec.nodeName);
const reported = async ({ client }: ControlledCluster, name: string): Promise<readonly string[] | undefined> =>
	(await client.get(NODES, name)).status?.volumesAttached?.map((v) => v.name);

test('a volume is attached for its pod, told of, refused to others, and goes over once its node lets it go', async (t) => {
	const metrics = createMetrics();
	await controlledCluster(
		async (cluster) => {
			const { client, pass, events, refusals } = cluster;
			await prepare(cluster);
			await start(cluster, 'p', 'a');
			await pass();
			const [made] = (await client.list(VOLUME_ATTACHMENTS)).items;
			t.is(made?.metadata.name, attachmentName({ driver: DRIVER, volumeHandle: 'h' }, 'a'));
			t.deepEqual(made?.spec, { attacher: DRIVER, nodeName: 'a', source: { persistentVolumeName: 'v' } });
			t.is(await reported(cluster, 'a'), undefined);
			await attach(cluster, { attachError: { time: '2026-01-01T00:00:00Z', message: 'busy' } });
			await pass();
			await attach(cluster);
			await pass();
			t.deepEqual(await reported(cluster, 'a'), [VOLUME]);
			t.deepEqual(await events('p'), [
				'FailedAttachVolume: AttachVolume.Attach failed for volume "v" : busy',
				'SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "v" ',
			]);
			await uses(cluster, 'a', [VOLUME]);
			await start(cluster, 'q', 'b');
			await pass();
			const refused = 'FailedAttachVolume: Multi-Attach error for volume "v" Volume is already used by pod(s) p';
			t.deepEqual(await events('q'), [refused]);
			t.regex(
				await metrics.metrics(),
				/storage_count_attachable_volumes_in_use\{node="a",volume_plugin="kubernetes.io\/csi:csi.example.com"\} 1/,
			);
			await client.delete(PODS, 'default/p', { gracePeriodSeconds: 0 });
			await pass(400_000);
			t.deepEqual(await attachedTo(cluster), ['a']);
			await uses(cluster, 'a', null);
			await pass();
			t.deepEqual(await attachedTo(cluster), ['b']);
			t.is(await reported(cluster, 'a'), undefined);
			await attach(cluster);
			await pass();
			t.deepEqual(await reported(cluster, 'b'), [VOLUME]);
			t.deepEqual(await events('q'), [refused, 'SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "v" ']);
			t.deepEqual(refusals, []);
		},
		{ only, more: { metrics } },
	);
});

test('an attacher that is silent is told of after two minutes; a node that is not ready loses its volumes after six, one out of service at once', async (t) => {
	const metrics = createMetrics();
	await controlledCluster(
		async (cluster) => {
			const { client, pass, events, refusals } = cluster;
			await prepare(cluster);
			await start(cluster, 'p', 'a');
			await pass(121_000);
			const silent = 'timed out waiting for external-attacher of csi.example.com CSI driver to attach volume h';
			t.deepEqual(await events('p'), [`FailedAttachVolume: AttachVolume.Attach failed for volume "v" : ${silent}`]);
			await attach(cluster);
			await uses(cluster, 'a', [VOLUME], { conditions: [{ type: 'Ready', status: 'Unknown' }] });
			await client.delete(PODS, 'default/p', { gracePeriodSeconds: 0 });
			await start(cluster, 'q', 'b');
			await pass(300_000);
			t.deepEqual(await attachedTo(cluster), ['a']);
			await pass(62_000);
			t.deepEqual(await attachedTo(cluster), ['b']);
			await attach(cluster);
			await uses(cluster, 'b', [VOLUME]);
			await client.delete(PODS, 'default/q', { gracePeriodSeconds: 0 });
			await pass();
			t.deepEqual(await attachedTo(cluster), ['b']);
			const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
			await client.patch(NODES, 'b', { type: 'merge', body: { spec: { taints } } });
			await pass();
			t.deepEqual(await attachedTo(cluster), []);
			const text = await metrics.metrics();
			t.regex(text, /forced_detaches\{reason="timeout"\} 1/);
			t.regex(text, /forced_detaches\{reason="out-of-service"\} 1/);
			t.deepEqual(refusals, []);
		},
		{ only, more: { metrics } },
	);
});

test('drivers that do not attach have no attachments; volumes of many go to all their nodes', async (t) => {
	await controlledCluster(
		async (cluster) => {
			const { client, pass, refusals } = cluster;
			await client.create(CSI_DRIVERS, { metadata: { name: DRIVER }, spec: { attachRequired: false } });
			await prepare(cluster, ['ReadWriteMany']);
			await start(cluster, 'p', 'a');
			await start(cluster, 'q', 'b');
			await pass();
			t.deepEqual(await attachedTo(cluster), []);
			await client.delete(CSI_DRIVERS, DRIVER);
			await pass();
			t.deepEqual((await attachedTo(cluster)).toSorted(), ['a', 'b']);
			t.deepEqual(refusals, []);
		},
		{ only },
	);
});
