/** The provisioner on a real API server: what the driver is asked, and what becomes of claims and volumes. */
import test from 'ava';
import {
	CSI_STORAGE_CAPACITIES,
	PERSISTENT_VOLUME_CLAIMS,
	PERSISTENT_VOLUMES,
	SECRETS,
	STORAGE_CLASSES,
	VOLUME_ATTACHMENTS,
	VOLUME_ATTRIBUTES_CLASSES,
} from '../../../api/resources.ts';
import { DRIVER, MemoryDriver, POOL_KEY } from '../../../test/fakes/memory-driver.ts';
import { withRoles, type RoleBench } from '../../../test/fakes/csi-roles.ts';
import { createProvisioner } from './provisioner.ts';
import type { ProvisionerOptions } from './options.ts';
import type { CreateVolumeRequest } from '../../proto.ts';

const NODE = { 'volume.kubernetes.io/selected-node': 'n1' };

function bench(body: (bench: RoleBench) => Promise<void>, options: Partial<ProvisionerOptions> = {}, topology = true): Promise<void> {
	return withRoles(
		(clock) => new MemoryDriver(() => clock.now(), { topology }),
		(deps) => createProvisioner(deps, options),
		body,
	);
}

const asked = ({ driver }: RoleBench): CreateVolumeRequest | undefined =>
	driver.requests.findLast(({ rpc }) => rpc === 'CreateVolume')?.request as CreateVolumeRequest | undefined;

test('a claim gets its volume, with everything on it that upstream puts there', (t) =>
	bench(async (b) => {
		await b.client.create(STORAGE_CLASSES, {
			metadata: { name: 'rich' },
			provisioner: DRIVER,
			reclaimPolicy: 'Delete',
			mountOptions: ['noatime'],
			parameters: {
				'csi.storage.k8s.io/fstype': 'xfs',
				tier: 'gold',
				'csi.storage.k8s.io/provisioner-secret-name': '${pvc.name}-s',
				'csi.storage.k8s.io/provisioner-secret-namespace': '${pvc.namespace}',
				'csi.storage.k8s.io/node-stage-secret-name': 'stage',
				'csi.storage.k8s.io/node-stage-secret-namespace': 'default',
			},
		});
		await b.client.create(SECRETS, { metadata: { name: 'c-s', namespace: 'default' }, data: { key: Buffer.from('v').toString('base64') } });
		const claim = await b.claim('c', { spec: { storageClassName: 'rich' } });
		await b.pass();
		const name = `pvc-${claim.metadata.uid}`;
		const request = asked(b);
		t.is(request?.name, name);
		t.is(request?.capacityRange?.requiredBytes, 1n << 30n);
		t.deepEqual(request?.parameters, { tier: 'gold' });
		t.deepEqual(request?.secrets, { key: 'v' });
		t.deepEqual(request?.volumeCapabilities, [
			{ accessType: { $case: 'mount', value: { fsType: 'xfs', mountFlags: ['noatime'], volumeMountGroup: '' } }, accessMode: { mode: 7 } },
		]);
		t.deepEqual(request?.accessibilityRequirements, {
			requisite: [{ segments: { [POOL_KEY]: 'a' } }],
			preferred: [{ segments: { [POOL_KEY]: 'a' } }],
		});
		const volume = await b.client.get(PERSISTENT_VOLUMES, name);
		t.like(volume.spec, {
			accessModes: ['ReadWriteOnce'],
			capacity: { storage: '1Gi' },
			claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'c', uid: claim.metadata.uid },
			mountOptions: ['noatime'],
			persistentVolumeReclaimPolicy: 'Delete',
			storageClassName: 'rich',
			csi: { driver: DRIVER, volumeHandle: `vol-${name}`, fsType: 'xfs', nodeStageSecretRef: { name: 'stage', namespace: 'default' } },
			nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: POOL_KEY, operator: 'In', values: ['a'] }] }] } },
		});
		t.is(volume.spec?.csi?.volumeAttributes?.['made'], 'here');
		t.like(volume.metadata.annotations, {
			'pv.kubernetes.io/provisioned-by': DRIVER,
			'volume.kubernetes.io/provisioner-deletion-secret-name': 'c-s',
			'volume.kubernetes.io/provisioner-deletion-secret-namespace': 'default',
		});
		t.true(volume.metadata.finalizers?.includes('external-provisioner.volume.kubernetes.io/finalizer'));
		t.deepEqual(await b.events('c'), [
			'Provisioning: External provisioner is provisioning volume for claim "default/c"',
			`ProvisioningSucceeded: Successfully provisioned volume ${name}`,
		]);
	}));

test('a class that waits for a pod gets nothing before a node is chosen', (t) =>
	bench(async (b) => {
		const claim = await b.claim('c', { spec: { storageClassName: 'late' } });
		await b.pass();
		t.deepEqual(b.driver.calls, []);
		await b.client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/c', { type: 'merge', body: { metadata: { annotations: NODE } } });
		await b.pass();
		t.deepEqual(b.driver.calls, [`CreateVolume pvc-${claim.metadata.uid}`]);
	}));

test('where the chosen node has no room the scheduler chooses again; other failures are tried again here', (t) =>
	bench(async (b) => {
		b.driver.failing.set('CreateVolume', 'ResourceExhausted');
		await b.claim('full', { spec: { storageClassName: 'late' }, annotations: NODE });
		await b.pass();
		const claim = await b.client.get(PERSISTENT_VOLUME_CLAIMS, 'default/full');
		t.is(claim.metadata.annotations?.['volume.kubernetes.io/selected-node'], undefined);
		t.true(
			(await b.events('full')).includes(
				'ProvisioningFailed: failed to provision volume with StorageClass "late": rpc error: code = ResourceExhausted desc = CreateVolume fails',
			),
		);
		b.driver.failing.set('CreateVolume', 'Internal');
		await b.claim('c');
		await b.pass();
		b.driver.failing.clear();
		await b.pass(2000);
		t.is(b.driver.volumes.size, 1);
	}));

test('a claim that goes while the driver may still be at it is asked for until there is an answer', (t) =>
	bench(async (b) => {
		b.driver.failing.set('CreateVolume', 'DeadlineExceeded');
		await b.claim('c');
		await b.pass();
		await b.client.delete(PERSISTENT_VOLUME_CLAIMS, 'default/c');
		b.driver.failing.clear();
		await b.pass(3000);
		const { items } = await b.client.list(PERSISTENT_VOLUMES);
		t.is(items.length, 1);
		t.is(items[0]?.spec?.claimRef?.name, 'c');
	}));

test('what a driver calls impossible is not asked for again and again', (t) =>
	bench(async (b) => {
		b.driver.failing.set('CreateVolume', 'InvalidArgument');
		await b.claim('c');
		await b.pass(60_000);
		t.is(b.driver.calls.length, 1);
		t.true((await b.events('c')).some((e) => e.includes('infeasible error. Retries will be delayed')));
	}));

test('released volumes are deleted, with the secret of their making, but not while they are attached or to be kept', (t) =>
	bench(async (b) => {
		await b.claim('c');
		await b.pass();
		const name = await b.bound('c');
		const release = async (volume: string): Promise<void> => {
			const object = await b.client.get(PERSISTENT_VOLUMES, volume);
			await b.client.update(PERSISTENT_VOLUMES, { ...object, status: { phase: 'Released' } }, { subresource: 'status' });
			await b.pass();
		};
		await b.client.create(VOLUME_ATTACHMENTS, {
			metadata: { name: 'a' },
			spec: { attacher: DRIVER, nodeName: 'n1', source: { persistentVolumeName: name } },
		});
		await release(name);
		t.is(b.driver.volumes.size, 1);
		t.deepEqual(
			(await b.events(name)).at(-1),
			`VolumeFailedDelete: persistentvolume ${name} is still attached to node n1, waiting for detach`,
		);
		await b.client.delete(VOLUME_ATTACHMENTS, 'a');
		await b.pass();
		t.is(b.driver.volumes.size, 0);
		t.deepEqual((await b.client.get(PERSISTENT_VOLUMES, name)).metadata.finalizers, ['kubernetes.io/pv-protection']); // the binder's

		await b.claim('kept');
		await b.pass();
		const kept = await b.bound('kept');
		await b.client.patch(PERSISTENT_VOLUMES, kept, { type: 'merge', body: { spec: { persistentVolumeReclaimPolicy: 'Retain' } } });
		await b.pass();
		const volume = await b.client.get(PERSISTENT_VOLUMES, kept);
		t.false(volume.metadata.finalizers?.includes('external-provisioner.volume.kubernetes.io/finalizer') ?? false);
		await release(kept);
		t.is(b.driver.volumes.size, 1);
	}));

test('a clone is of a bound claim, which stays until the copy is made', (t) =>
	bench(async (b) => {
		const from = { dataSource: { kind: 'PersistentVolumeClaim', name: 'c' } } as const;
		await b.claim('c');
		await b.claim('early', { spec: from });
		await b.pass();
		t.true((await b.events('early')).some((e) => e.includes('the PVC DataSource c must have a status of Bound')));
		const name = await b.bound('c');
		b.driver.failing.set('CreateVolume', 'Internal');
		await b.claim('small', { spec: { ...from, resources: { requests: { storage: '1Mi' } } } });
		await b.pass(2000);
		t.true((await b.events('small')).some((e) => e.includes('must be greater than or equal in size')));
		const finalizers = async () => (await b.client.get(PERSISTENT_VOLUME_CLAIMS, 'default/c')).metadata.finalizers ?? [];
		const finalizer = 'provisioner.storage.kubernetes.io/cloning-protection';
		t.true((await finalizers()).includes(finalizer));
		b.driver.failing.clear();
		await b.pass(10_000);
		t.deepEqual(asked(b)?.volumeContentSource, { type: { $case: 'volume', value: { volumeId: `vol-${name}` } } });
		await b.client.delete(PERSISTENT_VOLUME_CLAIMS, 'default/c');
		await b.pass();
		t.true((await finalizers()).includes(finalizer));
		await b.bound('early');
		await b.client.patch(PERSISTENT_VOLUME_CLAIMS, 'default/small', { type: 'merge', body: { metadata: { finalizers: null } } });
		await b.client.delete(PERSISTENT_VOLUME_CLAIMS, 'default/small');
		await b.pass(20_000);
		t.false((await finalizers()).includes(finalizer));
	}));

test('attributes classes reach the driver, those of another driver do not', (t) =>
	bench(async (b) => {
		await b.client.create(VOLUME_ATTRIBUTES_CLASSES, { metadata: { name: 'gold' }, driverName: DRIVER, parameters: { iops: '9' } });
		await b.client.create(VOLUME_ATTRIBUTES_CLASSES, { metadata: { name: 'alien' }, driverName: 'x.y', parameters: { iops: '9' } });
		await b.claim('c', { spec: { volumeAttributesClassName: 'gold' } });
		await b.pass();
		t.deepEqual(asked(b)?.mutableParameters, { iops: '9' });
		const claim = await b.client.get(PERSISTENT_VOLUME_CLAIMS, 'default/c');
		t.is((await b.client.get(PERSISTENT_VOLUMES, `pvc-${claim.metadata.uid}`)).spec?.volumeAttributesClassName, 'gold');
		await b.claim('d', { spec: { volumeAttributesClassName: 'alien' } });
		await b.pass();
		t.true((await b.events('d')).some((e) => e.includes('VAC alien referenced in PVC is for driver x.y')));
	}));

test('capacity is told for each class that waits and each pool, follows the driver, and goes with its class', (t) =>
	bench(
		async (b) => {
			const list = async () => (await b.client.list(CSI_STORAGE_CAPACITIES)).items;
			const [one, ...more] = await list();
			t.deepEqual(more, []);
			t.like(one, {
				storageClassName: 'late',
				capacity: '1Ti',
				maximumVolumeSize: '1Ti',
				nodeTopology: { matchLabels: { [POOL_KEY]: 'a' } },
			});
			t.like(one?.metadata.labels, {
				'csi.storage.k8s.io/drivername': DRIVER,
				'csi.storage.k8s.io/managed-by': 'external-provisioner',
			});
			b.driver.available = 1n << 30n;
			await b.pass(61_000);
			t.is((await list())[0]?.capacity, '1Gi');
			await b.client.delete(STORAGE_CLASSES, 'late');
			await b.pass();
			t.deepEqual(await list(), []);
		},
		{ capacityNamespace: 'kube-system' },
	));
