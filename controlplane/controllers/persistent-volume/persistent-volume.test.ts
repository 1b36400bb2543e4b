import test from 'ava';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../api/gen/types.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, SERVICE_ACCOUNTS, STORAGE_CLASSES } from '../../../api/resources.ts';
import { createMetrics } from '../../../base/metrics.ts';
import type { Client } from '../../../client/client.ts';
import { controlledCluster } from '../../../test/fakes/controlled-cluster.ts';
import { claimStatus } from './claim-status.ts';
import { claimStep, type ClaimView } from './claim-step.ts';
import { deletionError, provisionerFor } from './provisioner.ts';
import { volumeStep } from './volume-step.ts';

const DONE = { 'pv.kubernetes.io/bind-completed': 'yes' };
const CHOSEN = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
const claim = (spec: object = {}, metadata: object = {}): PersistentVolumeClaim => ({
	metadata: { namespace: 'n', name: 'c', uid: 'cu', ...metadata },
	spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const volume = (spec: object = {}, metadata: object = {}): PersistentVolume => ({
	metadata: { name: 'v', ...metadata },
	spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
});
const ref = (uid: string | undefined = 'cu', name = 'c'): object => ({ claimRef: { namespace: 'n', name, uid } });
const standard: StorageClass = { metadata: { name: 'standard' }, provisioner: 'p' };
type View = ClaimView<PersistentVolume, StorageClass>;
const view = (more: Partial<View> = {}): View => ({
	...{ named: undefined, isDelayed: false, findMatch: () => undefined, defaultClass: () => undefined, waitingPods: () => [] },
	...more,
});
const saying = (one: PersistentVolumeClaim, seen: View): string => {
	const step = claimStep(one, seen);
	return 'told' in step && step.told !== undefined ? `${step.do}: ${step.told.reason}: ${step.told.message}` : step.do;
};

for (const [name, one, seen, want] of [
	['a match is bound', claim(), view({ findMatch: () => volume() }), 'bind'],
	['without a class the default one is taken', claim(), view({ defaultClass: () => standard }), 'setClass'],
	[
		'"" wants none',
		claim({ storageClassName: '' }),
		view({ defaultClass: () => standard }),
		'wait: FailedBinding: no persistent volumes available for this claim and no storage class is set',
	],
	['a class makes one', claim({ storageClassName: 'standard' }), view(), 'provision'],
	[
		'delayed: nobody yet',
		claim({ storageClassName: 's' }),
		view({ isDelayed: true }),
		'wait: WaitForFirstConsumer: waiting for first consumer to be created before binding',
	],
	[
		'delayed: a pod waits',
		claim({ storageClassName: 's' }),
		view({ isDelayed: true, waitingPods: () => ['p'] }),
		'wait: WaitForPodScheduled: waiting for pod p to be scheduled',
	],
	[
		'delayed: pods wait',
		claim({ storageClassName: 's' }),
		view({ isDelayed: true, waitingPods: () => ['p', 'q'] }),
		'wait: WaitForPodScheduled: waiting for pods p,q to be scheduled',
	],
	[
		'delayed: a node is chosen',
		claim({ storageClassName: 's' }, { annotations: { 'volume.kubernetes.io/selected-node': 'm' } }),
		view({ isDelayed: true }),
		'provision',
	],
	['it names one that is not there', claim({ volumeName: 'v' }), view(), 'wait'],
	['it names one that is free', claim({ volumeName: 'v' }), view({ named: volume() }), 'bind'],
	[
		'it names one that does not do',
		claim({ volumeName: 'v' }),
		view({ named: volume({ volumeMode: 'Block' }) }),
		'wait: VolumeMismatch: Cannot bind to requested volume "v": incompatible volumeMode',
	],
	['it names one bound to it', claim({ volumeName: 'v' }), view({ named: volume(ref()) }), 'bind'],
	['it names one bound to it by name', claim({ volumeName: 'v' }), view({ named: volume(ref('')) }), 'bind'],
	[
		"it names another claim's",
		claim({ volumeName: 'v' }),
		view({ named: volume(ref('x', 'other')) }),
		'wait: FailedBinding: volume "v" already bound to a different claim.',
	],
	[
		"the binder named another claim's",
		claim({ volumeName: 'v' }, { annotations: CHOSEN }),
		view({ named: volume(ref('x', 'other')) }),
		'retry: FailedBinding: volume "v" already bound to a different claim.',
	],
	['bound stays bound', claim({ volumeName: 'v' }, { annotations: DONE }), view({ named: volume(ref()) }), 'bind'],
	['bound, and the volume forgot it', claim({ volumeName: 'v' }, { annotations: DONE }), view({ named: volume() }), 'bind'],
	[
		'bound, and the volume is gone',
		claim({ volumeName: 'v' }, { annotations: DONE }),
		view(),
		'lose: ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
	],
	[
		'bound, and the name is gone',
		claim({}, { annotations: DONE }),
		view(),
		'lose: ClaimLost: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
	],
	[
		'bound twice',
		claim({ volumeName: 'v' }, { annotations: DONE }),
		view({ named: volume(ref('x', 'other')) }),
		'lose: ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
	],
] as const)
	test(`claimStep(): ${name}`, (t) => t.is(saying(one, seen), want));

const MADE = { 'pv.kubernetes.io/provisioned-by': 'd' };
for (const [name, one, of, want] of [
	['free', volume(), undefined, 'phase'],
	['meant for a claim by name only', volume(ref('')), undefined, 'phase'],
	['its claim is gone', volume(ref()), undefined, 'reclaim'],
	['its claim names it', volume(ref()), claim({ volumeName: 'v' }), 'phase'],
	['its claim names none yet', volume(ref()), claim(), 'claim'],
	['its claim is of the other mode', volume({ ...ref(), volumeMode: 'Block' }), claim(), 'mismatch'],
	['its claim has another: let go', volume(ref()), claim({ volumeName: 'w' }), 'unbind'],
	[
		'its claim has another: made for it',
		volume({ ...ref(), persistentVolumeReclaimPolicy: 'Delete' }, { annotations: MADE }),
		claim({ volumeName: 'w' }),
		'reclaim',
	],
] as const)
	test(`volumeStep(): ${name}`, (t) => t.is(volumeStep(one, of).do, want));

test('claimStatus(): a bound claim shows its volume, one being resized the size of before, one that waits nothing', (t) => {
	t.deepEqual(claimStatus({ ...claim(), status: { phase: 'Pending' } }, 'Bound', volume({ volumeAttributesClassName: 'gold' })), {
		...{ phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, currentVolumeAttributesClassName: 'gold' },
	});
	const resizing = volume({}, { annotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': '512Mi' } });
	t.deepEqual(claimStatus(claim(), 'Bound', resizing)?.capacity, { storage: '512Mi' });
	const isBound = { ...claim(), status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '512Mi' } } };
	t.is(claimStatus(isBound, 'Bound', volume()), undefined);
	t.deepEqual(claimStatus(isBound, 'Lost', undefined), { phase: 'Lost' });
	t.throws(() => claimStatus(claim(), 'Bound', volume({ capacity: {} })), { message: /without a storage capacity/ });
});

test('who makes volumes and who deletes them', (t) => {
	t.deepEqual(provisionerFor(claim({ storageClassName: 's' }), undefined), { error: 'storageclass.storage.k8s.io "s" not found' });
	t.deepEqual(provisionerFor(claim(), { ...standard, provisioner: 'kubernetes.io/no-provisioner' }), {
		error: 'no volume plugin matched name: kubernetes.io/no-provisioner',
	});
	t.deepEqual(provisionerFor(claim(), standard), { name: 'p' });
	t.is(deletionError(volume({}, { annotations: MADE })), undefined);
	t.is(deletionError(volume({ csi: { driver: 'd', volumeHandle: 'h' } })), undefined);
	t.is(
		deletionError(volume({ nfs: { server: 's', path: '/' } })),
		'error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
	);
});

const make = async (client: Client, name: string, spec: object = {}): Promise<PersistentVolumeClaim> =>
	client.create(PERSISTENT_VOLUME_CLAIMS, {
		metadata: { namespace: 'default', name },
		spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
	});
const makeVolume = async (client: Client, name: string, spec: object = {}, metadata: object = {}): Promise<PersistentVolume> =>
	client.create(PERSISTENT_VOLUMES, {
		metadata: { name, ...metadata },
		spec: {
			...{ accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' }, hostPath: { path: '/tmp/x' } },
			persistentVolumeReclaimPolicy: 'Retain',
			...spec,
		},
	});
const only = ['persistentvolume-binder-controller'];

test('a claim and a volume find each other; the volume is released with its claim, the claim lost with its volume', async (t) => {
	const metrics = createMetrics();
	await controlledCluster(
		async ({ client, pass, events, refusals }) => {
			await make(client, 'c', { storageClassName: '' });
			await pass();
			t.is((await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/c')).status?.phase, 'Pending');
			t.deepEqual(await events('c'), ['FailedBinding: no persistent volumes available for this claim and no storage class is set']);
			await makeVolume(client, 'big', { capacity: { storage: '9Gi' } });
			await makeVolume(client, 'fit');
			await pass();
			const claimed = await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/c');
			const name = claimed.spec?.volumeName ?? '';
			t.true(['big', 'fit'].includes(name));
			t.like(claimed.status, { phase: 'Bound', accessModes: ['ReadWriteOnce'] });
			t.like(claimed.metadata.annotations, { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' });
			const bound = await client.get(PERSISTENT_VOLUMES, name);
			t.like(bound, { status: { phase: 'Bound' }, spec: { claimRef: { namespace: 'default', name: 'c', uid: claimed.metadata.uid } } });
			const other = name === 'fit' ? 'big' : 'fit';
			t.is((await client.get(PERSISTENT_VOLUMES, other)).status?.phase, 'Available');
			t.regex(await metrics.metrics(), /pv_collector_bound_pvc_count\{namespace="default",storage_class="",volume_attributes_class=""\} 1/);

			await client.delete(PERSISTENT_VOLUME_CLAIMS, 'default/c');
			// What the protection controller does once no pod uses it.
			await client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/c', { type: 'merge', body: { metadata: { finalizers: null } } });
			await pass();
			t.is((await client.get(PERSISTENT_VOLUMES, name)).status?.phase, 'Released');

			await make(client, 'd', { storageClassName: '', volumeName: other });
			await pass();
			t.is((await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/d')).status?.phase, 'Bound');
			await client.patch(PERSISTENT_VOLUMES, other, { type: 'merge', body: { metadata: { finalizers: null } } });
			await client.delete(PERSISTENT_VOLUMES, other);
			await pass();
			t.is((await client.get(PERSISTENT_VOLUME_CLAIMS, 'default/d')).status?.phase, 'Lost');
			t.deepEqual(await events('d'), ['ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!']);
			t.deepEqual(refusals, []);
		},
		{ only, more: { metrics } },
	);
});

test('classes: claims wait for their consumer or are handed to the provisioner; the default class comes later; released volumes that nobody deletes fail', async (t) => {
	await controlledCluster(
		async ({ client, pass, events, refusals }) => {
			await client.create(SERVICE_ACCOUNTS, { metadata: { namespace: 'default', name: 'default' } });
			await make(client, 'none');
			await make(client, 'now', { storageClassName: 'now' });
			await make(client, 'later', { storageClassName: 'later' });
			await pass();
			t.deepEqual(await events('now'), ['ProvisioningFailed: storageclass.storage.k8s.io "now" not found']);
			const provisioner = 'csi.example.com';
			await client.create(STORAGE_CLASSES, { metadata: { name: 'now' }, provisioner });
			await client.create(STORAGE_CLASSES, { metadata: { name: 'later' }, provisioner, volumeBindingMode: 'WaitForFirstConsumer' });
			await pass();
			const get = async (name: string): Promise<PersistentVolumeClaim> => client.get(PERSISTENT_VOLUME_CLAIMS, `default/${name}`);
			t.is((await get('now')).metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], provisioner);
			t.true(
				(await events('now'))
					.at(-1)
					?.startsWith("ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'csi.example.com'"),
			);
			t.is((await events('later')).at(-1), 'WaitForFirstConsumer: waiting for first consumer to be created before binding');
			await client.create(PODS, {
				metadata: { namespace: 'default', name: 'p' },
				spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'later' } }], containers: [{ name: 'c', image: 'i' }] },
			});
			await pass(20_000);
			t.is((await events('later')).at(-1), 'WaitForPodScheduled: waiting for pod p to be scheduled');
			t.is((await get('later')).metadata.annotations, undefined);
			await client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/later', {
				type: 'merge',
				body: { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'n' } } },
			});
			await pass();
			t.is((await get('later')).metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], provisioner);

			t.is((await get('none')).spec?.storageClassName, undefined);
			const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
			await client.patch(STORAGE_CLASSES, 'now', { type: 'merge', body: { metadata: { annotations } } });
			await pass();
			t.is((await get('none')).spec?.storageClassName, 'now');

			// What a provisioner does.
			const { uid } = (await get('now')).metadata;
			const claimRef = { namespace: 'default', name: 'now', uid };
			await makeVolume(client, `pvc-${uid}`, { storageClassName: 'now', claimRef, persistentVolumeReclaimPolicy: 'Delete' });
			await pass();
			t.is((await get('now')).spec?.volumeName, `pvc-${uid}`);
			await client.delete(PERSISTENT_VOLUME_CLAIMS, 'default/now');
			await client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/now', { type: 'merge', body: { metadata: { finalizers: null } } });
			await pass();
			t.like((await client.get(PERSISTENT_VOLUMES, `pvc-${uid}`)).status, {
				...{ phase: 'Failed', message: `error getting deleter volume plugin for volume "pvc-${uid}": no deletable volume plugin matched` },
			});
			t.true((await events(`pvc-${uid}`))[0]?.startsWith('VolumeFailedDelete: '));
			t.deepEqual(refusals, []);
		},
		{ only },
	);
});

test('many claims at once get a volume each', async (t) => {
	await controlledCluster(
		async ({ client, pass, refusals }) => {
			for (let i = 0; i < 20; i++) {
				await makeVolume(client, `v${i}`);
				await make(client, `c${i}`, { storageClassName: '' });
			}
			await pass(2000);
			const { items } = await client.list(PERSISTENT_VOLUME_CLAIMS);
			t.true(items.every((c) => c.status?.phase === 'Bound'));
			t.is(new Set(items.map((c) => c.spec?.volumeName)).size, 20);
			t.deepEqual(refusals, []);
		},
		{ only },
	);
});
