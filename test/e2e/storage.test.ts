/**
 * From claim to mount with nothing but `up`: a StatefulSet's claims are provisioned, written, grown while in use, snapshotted, restored and cloned, with
 * their data whole; two of them at one moment; a raw device; volumes in a pod's own words; a full volume troubles its own pod alone; a pod that moves to
 * another node of the host; a volume that a PersistentVolume made by hand names; and nothing stays when all is deleted.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { loopDevices } from '../../host/loop.ts';
import { fileSystemPrograms } from '../conformance/csi-sanity/programs.ts';
import { eventually } from '../tools/eventually.ts';
import { busyboxImage } from '../tools/images.ts';
import { kubectl } from '../tools/kubectl.ts';
import { Kubectl, testCluster } from './cluster.ts';
import { SECOND, secondNode } from './second-node.ts';

const image = await busyboxImage();
const path = await kubectl();
/** XFS grows while it is used on every host; ext4 only where the process may. */
const grows = await fileSystemPrograms();
const DRIVER = 'local.csi.kubeling.dev';
const loop = ['sh', '-c', 'trap "exit 0" TERM; while true; do sleep 0.1; done'];
const WAIT = '--timeout=180s';

interface PodUse {
	/** What it mounts at /data; the claim of its own name unless told. */
	readonly volume?: object;
	/** Mounted at /more. */
	readonly another?: object;
	readonly block?: boolean;
	readonly nodeSelector?: object;
}

function pod(name: string, { block = false, another, nodeSelector = {}, ...more }: PodUse = {}): object {
	const { volume = { persistentVolumeClaim: { claimName: name } } } = more;
	const volumeMounts = [{ name: 'v', mountPath: '/data' }, ...(another === undefined ? [] : [{ name: 'w', mountPath: '/more' }])];
	const use = block ? { volumeDevices: [{ name: 'v', devicePath: '/dev/raw' }] } : { volumeMounts };
	return {
		apiVersion: 'v1',
		kind: 'Pod',
		metadata: { name },
		spec: {
			nodeSelector,
			terminationGracePeriodSeconds: 1,
			volumes: [{ name: 'v', ...volume }, ...(another === undefined ? [] : [{ name: 'w', ...another }])],
			containers: [{ name: 'c', image, command: loop, ...use }],
		},
	};
}

function claim(name: string, storage: string, more: object = {}): object {
	const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...more };
	return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec };
}

function statefulSet(storageClassName: string, storage: string): object {
	const { spec } = claim('data', storage, { storageClassName }) as { spec: object };
	const container = { name: 'c', image, command: loop, volumeMounts: [{ name: 'data', mountPath: '/data' }] };
	return {
		apiVersion: 'apps/v1',
		kind: 'StatefulSet',
		metadata: { name: 'web' },
		spec: {
			serviceName: 'web',
			replicas: 2,
			selector: { matchLabels: { app: 'web' } },
			template: { metadata: { labels: { app: 'web' } }, spec: { terminationGracePeriodSeconds: 1, containers: [container] } },
			volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }],
		},
	};
}

test('from a claim to a mount, with nothing but up', async (t) => {
	await using cluster = await testCluster('storage');
	await cluster.up();
	const k = new Kubectl(path, cluster, 'default');
	const exec = (name: string, script: string): Promise<string> => k.must(['exec', name, '--', 'sh', '-c', script]);
	const ready = (name: string): Promise<string> => k.must(['wait', '--for=condition=Ready', `pod/${name}`, WAIT], { timeoutMs: 200_000 });
	const until = (what: string, args: readonly string[], wanted: RegExp): Promise<string> => {
		let seen = '';
		return eventually(
			() => `${what}; seen: ${seen}`,
			async () => {
				seen = await k.must(args).catch((error: Error) => error.message);
				return wanted.test(seen) ? seen : undefined;
			},
			180_000,
		);
	};

	// Nothing runs for storage before somebody wants it.
	await until('the default class', ['get', 'storageclass', 'local', '-o', 'jsonpath={.metadata.annotations}'], /is-default-class":"true/);
	await until('the snapshot class', ['get', 'volumesnapshotclass', 'local', '-o', 'jsonpath={.driver}'], new RegExp(DRIVER));
	t.deepEqual(await readdir(join(cluster.dataDir, 'volumes')).catch(() => []), []);

	await k.apply({
		apiVersion: 'storage.k8s.io/v1',
		kind: 'StorageClass',
		metadata: { name: 'other' },
		provisioner: DRIVER,
		volumeBindingMode: 'WaitForFirstConsumer',
		allowVolumeExpansion: true,
		parameters: grows ? { 'csi.storage.k8s.io/fstype': 'xfs' } : {},
	});
	const [size, larger] = grows ? ['320Mi', '400Mi'] : ['32Mi', '64Mi'];
	await k.apply(statefulSet('other', size));
	await k.must(['rollout', 'status', 'sts/web', WAIT], { timeoutMs: 200_000 });
	await exec('web-0', 'echo zero > /data/word; dd if=/dev/urandom of=/data/noise bs=1M count=8 2>/dev/null; sync');
	await exec('web-1', 'echo one > /data/word; sync');
	const sum = await exec('web-0', 'md5sum < /data/noise');

	// It grows, in use where the host can do that.
	const megabytes = async (): Promise<number> => Number((await exec('web-0', 'df -m /data | tail -1')).trim().split(/\s+/)[1]);
	const before = await megabytes();
	if (!grows) await k.must(['scale', 'sts/web', '--replicas=0']);
	await k.must(['patch', 'pvc', 'data-web-0', '-p', JSON.stringify({ spec: { resources: { requests: { storage: larger } } } })]);
	if (!grows) {
		await until('the volume has grown', ['get', 'pv', '-o', 'jsonpath={.items[*].spec.capacity.storage}'], new RegExp(larger));
		await k.must(['scale', 'sts/web', '--replicas=2']);
		await k.must(['rollout', 'status', 'sts/web', WAIT], { timeoutMs: 200_000 });
	}
	await until('the claim has grown', ['get', 'pvc', 'data-web-0', '-o', 'jsonpath={.status.capacity.storage}'], new RegExp(`^${larger}$`));
	t.true((await megabytes()) > before);
	t.is(await exec('web-0', 'md5sum < /data/noise'), sum);

	// A snapshot is what was there when it was taken; its copy and a clone have the same data, and lives of their own.
	const snapshot = { apiVersion: 'snapshot.storage.k8s.io/v1', kind: 'VolumeSnapshot', metadata: { name: 's' } };
	await k.apply({ ...snapshot, spec: { source: { persistentVolumeClaimName: 'data-web-0' } } });
	await until('the snapshot', ['get', 'volumesnapshot', 's', '-o', 'jsonpath={.status.readyToUse}'], /^true$/);
	await exec('web-0', 'echo later > /data/word; sync');
	const storageClassName = 'other';
	const restored = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' };
	await k.apply(
		claim('restored', larger, { storageClassName, dataSource: restored }),
		claim('cloned', larger, { storageClassName, dataSource: { kind: 'PersistentVolumeClaim', name: 'data-web-0' } }),
		...['restored', 'cloned'].map((name) => pod(name)),
	);
	await Promise.all([ready('restored'), ready('cloned')]);
	t.is(await exec('restored', 'cat /data/word; md5sum < /data/noise'), `zero\n${sum}`);
	t.is(await exec('cloned', 'cat /data/word; md5sum < /data/noise'), `later\n${sum}`);
	await exec('restored', 'echo changed > /data/word; sync');
	t.is(await exec('web-0', 'cat /data/word'), 'later\n');

	// A full volume is its own pod's trouble.
	t.regex(await exec('cloned', 'dd if=/dev/zero of=/data/fill bs=1M count=1000 2>&1 || true'), /No space left on device/);
	await exec('web-0', 'dd if=/dev/zero of=/data/some bs=1M count=4 2>&1 && sync');

	// A pod that comes again finds its data.
	await k.must(['delete', 'pod', 'web-1', WAIT], { timeoutMs: 200_000 });
	await k.must(['rollout', 'status', 'sts/web', WAIT], { timeoutMs: 200_000 });
	await ready('web-1');
	t.is(await exec('web-1', 'cat /data/word'), 'one\n');

	// A raw device, of the size that was asked for; the class of those who name none.
	await k.apply(claim('raw', '8Mi', { volumeMode: 'Block' }), pod('raw', { block: true }));
	await ready('raw');
	await exec('raw', 'echo raw > /dev/raw; sync');
	t.is((await exec('raw', 'head -c 3 /dev/raw; dd if=/dev/raw of=/dev/null bs=1M 2>&1 | head -1')).trim(), 'raw8+0 records in');

	// Two volumes at one moment.
	const group = { apiVersion: 'groupsnapshot.storage.k8s.io/v1', kind: 'VolumeGroupSnapshot', metadata: { name: 'g' } };
	await k.apply({ ...group, spec: { source: { selector: { matchLabels: { app: 'web' } } } } });
	await until('the group', ['get', 'volumegroupsnapshot', 'g', '-o', 'jsonpath={.status.readyToUse}'], /^true$/);
	await exec('web-1', 'echo later > /data/word; sync');
	const member = '{range .items[?(@.status.volumeGroupSnapshotName=="g")]}{.spec.source.persistentVolumeClaimName}={.metadata.name} {end}';
	const members = await until(
		'its members',
		['get', 'volumesnapshot', '-o', `jsonpath=${member}`],
		/^(?=.*data-web-0=\S)(?=.*data-web-1=\S)/,
	);
	t.is(members.trim().split(' ').length, 2, members);
	const ofGroup = { ...restored, name: /data-web-1=(\S+)/.exec(members)?.[1] };
	await k.apply(claim('grouped', size, { storageClassName, dataSource: ofGroup }), pod('grouped'));
	await ready('grouped');
	t.is(await exec('grouped', 'cat /data/word'), 'one\n');

	// In a pod's own words: a volume that goes with it, and a claim that does.
	const { spec: template } = claim('any', '8Mi') as { readonly spec: object };
	const own = { csi: { driver: DRIVER, fsType: 'ext4', volumeAttributes: { size: '8Mi' } } };
	await k.apply(pod('own', { volume: own, another: { ephemeral: { volumeClaimTemplate: { spec: template } } } }));
	await ready('own');
	for (const place of ['/data', '/more'])
		t.regex(await exec('own', `df -m ${place} | tail -1; dd if=/dev/zero of=${place}/fill bs=1M count=20 2>&1 || true`), /No space left/);
	await k.must(['delete', 'pod', 'own', WAIT], { timeoutMs: 200_000 });
	await until('its claim goes with it', ['get', 'pvc', '-o', 'name'], /^(?!.*own-w)/s);
	const inline = (): Promise<readonly string[]> => readdir(join(cluster.dataDir, 'volumes/inline'), { recursive: true });
	await eventually('its data goes with it', async () => !(await inline()).some((name) => name.includes('/')));

	// A pod goes to another node of the host, and its data is there.
	{
		await using _second = await secondNode(cluster, DRIVER);
		await until('the driver there', ['get', 'csinode', SECOND, '-o', 'jsonpath={.spec.drivers[*].name}'], new RegExp(DRIVER));
		await k.must(['delete', 'pod', 'grouped', WAIT], { timeoutMs: 200_000 });
		await k.apply(pod('grouped', { nodeSelector: { 'kubernetes.io/hostname': SECOND } }));
		await ready('grouped');
		t.is(await exec('grouped', 'cat /data/word; echo moved > /data/word'), 'one\n');
		await k.must(['delete', 'pod', 'grouped', WAIT], { timeoutMs: 200_000 });
		await until(
			'no attachment there',
			['get', 'volumeattachments', '-o', 'jsonpath={.items[*].spec.nodeName}'],
			new RegExp(`^(?!.*${SECOND})`),
		);
	}
	await k.must(['delete', 'node', SECOND]); // nobody registers it again
	await k.apply(pod('grouped'));
	await ready('grouped');
	t.is(await exec('grouped', 'cat /data/word'), 'moved\n');
	await k.must(['delete', 'volumegroupsnapshot', 'g', WAIT], { timeoutMs: 200_000 });

	// A volume that is there already, by a PersistentVolume made by hand: the claim finds it, nobody provisions anything, and its data is there.
	const kept = { spec: { persistentVolumeReclaimPolicy: 'Retain' } };
	const provisioned = await k.must(['get', 'pvc', 'grouped', '-o', 'jsonpath={.spec.volumeName}']);
	const volumeHandle = await k.must(['get', 'pv', provisioned, '-o', 'jsonpath={.spec.csi.volumeHandle}']);
	await k.must(['patch', 'pv', provisioned, '-p', JSON.stringify(kept)]);
	await k.must(['delete', 'pod/grouped', 'pvc/grouped', `pv/${provisioned}`, WAIT], { timeoutMs: 200_000 });
	const nameless = { storageClassName: '' };
	await k.apply(
		{
			apiVersion: 'v1',
			kind: 'PersistentVolume',
			metadata: { name: 'by-hand' },
			spec: {
				...kept.spec,
				...nameless,
				accessModes: ['ReadWriteOnce'],
				capacity: { storage: size },
				csi: { driver: DRIVER, volumeHandle },
			},
		},
		claim('by-hand', size, nameless),
		pod('by-hand'),
	);
	await ready('by-hand');
	t.is(await exec('by-hand', 'cat /data/word'), 'moved\n');
	t.is(await k.must(['get', 'pvc', 'by-hand', '-o', 'jsonpath={.spec.volumeName} {.status.phase}']), 'by-hand Bound');
	t.is(await k.must(['get', 'pvc', 'by-hand', '-o', 'jsonpath={.metadata.annotations.volume\\.kubernetes\\.io/storage-provisioner}']), '');
	// From now on it is the provisioner's.
	await k.must(['annotate', 'pv', 'by-hand', `pv.kubernetes.io/provisioned-by=${DRIVER}`]);
	await k.must(['patch', 'pv', 'by-hand', '-p', JSON.stringify({ spec: { persistentVolumeReclaimPolicy: 'Delete' } })]);

	// Each role has the rights of its own account, and nobody those of an administrator.
	for (const [verb, what, account, answer] of [
		['create', 'persistentvolumes', 'csi-provisioner', 'yes'],
		['create', 'persistentvolumes', 'csi-attacher', 'no'],
		['get', 'secrets', 'csi-provisioner', 'no'],
		['patch', 'persistentvolumes', 'csi-informers', 'no'],
	] as const) {
		const { stdout } = await k.run(['auth', 'can-i', verb, what, '--as', `system:serviceaccount:kube-system:${account}`]);
		t.is(stdout.trim(), answer, `${account} may ${verb} ${what}`);
	}

	// All goes with its claims.
	await k.must(['delete', 'volumesnapshot', 's', WAIT], { timeoutMs: 200_000 });
	await k.must(['delete', 'sts/web', 'pod/restored', 'pod/cloned', 'pod/raw', 'pod/by-hand', WAIT], { timeoutMs: 200_000 });
	await k.must(['delete', 'pvc', '--all', WAIT], { timeoutMs: 200_000 });
	await until('no volumes', ['get', 'pv', '-o', 'name'], /^$/);
	await until('no attachments', ['get', 'volumeattachments', '-o', 'name'], /^$/);
	for (const folder of ['volumes', 'snapshots', 'groups'])
		await eventually(`no ${folder}`, async () => (await readdir(join(cluster.dataDir, 'volumes', folder))).length === 0);
	await eventually('no device', async () => (await loopDevices()).every((d) => !d.backingFile.startsWith(cluster.dir)));
	await eventually('no mount', async () => !(await readFile('/proc/self/mountinfo', 'utf8')).includes(`${cluster.dataDir}/volumes`));
});
