/**
 * A node that runs short of memory, disk, inodes and process ids: on real control groups and a disk of the test's own, the pod that is to
 * blame goes, with upstream's message, and the others run on. Memory is short in the pods' own group and the disk is a loop device: the
 * machine itself is never short of anything.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { basename, join } from 'node:path';
import test from 'ava';
import { CgroupTree } from '../../host/cgroup-tree.ts';
import { readUsage } from '../../host/cgroups.ts';
import { fsStats, type FsStats } from '../../host/filesystem.ts';
import { attachLoop, backingFileOf, detachLoop } from '../../host/loop.ts';
import { mount, unmount } from '../../host/mounts.ts';
import { pidStats } from '../../host/pids.ts';
import { killHard, pidsOf } from '../crash/victims.ts';
import { must } from '../tools/command.ts';
import { eventually } from '../tools/eventually.ts';
import { busyboxImage } from '../tools/images.ts';
import { kubectl } from '../tools/kubectl.ts';
import { Kubectl, testCluster } from './cluster.ts';

const image = await busyboxImage();
const path = await kubectl();

const MI = 2 ** 20;
/** What the pods may have together. */
const PODS_MEMORY = 512 * MI;
/** Others start and end processes on this machine too: these are margins, from what there is when a pod is about to take many. */
const PID_MARGIN = 1000;
const PIDS = 1400;

const sh = (script: string) => ({ name: 'c', image, command: ['sh', '-c', script] });
const data = { volumes: [{ name: 'data', emptyDir: {} }] };
const volumeMounts = [{ name: 'data', mountPath: '/data' }];

test('a node under pressure', async (t) => {
	const cluster = await testCluster('pressure');
	await using _disk = await loopDisk(join(cluster.dir, 'disk.img'), join(cluster.dataDir, 'node'));
	await using _cluster = cluster;
	const evictionHard = { 'memory.available': '100Mi', 'nodefs.available': '30%', 'nodefs.inodesFree': '30%' };
	const config = {
		apiVersion: 'kubelet.config.k8s.io/v1beta1',
		kind: 'KubeletConfiguration',
		kubeReserved: { memory: String(totalmem() - PODS_MEMORY) },
		evictionHard,
		evictionPressureTransitionPeriod: '10s',
	};
	const file = join(cluster.dir, 'kubelet.json');
	await writeFile(file, JSON.stringify(config));
	await cluster.up('--kubelet-config', file);
	const k = new Kubectl(path, cluster, 'default');
	const get = (what: readonly string[], field: string): Promise<string> => k.must(['get', ...what, '-o', `jsonpath={${field}}`]);
	const node = await get(['nodes'], '.items[0].metadata.name');
	const condition = (type: string): Promise<string> => get(['node', node], `.status.conditions[?(@.type=="${type}")].status`);
	const run = async (name: string, spec: object): Promise<void> => {
		const manifest = join(cluster.dir, `${name}.json`);
		const tolerations = ['memory', 'disk', 'pid'].map((what) => ({ key: `node.kubernetes.io/${what}-pressure`, operator: 'Exists' }));
		await writeFile(manifest, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { tolerations, ...spec } }));
		await k.must(['apply', '-f', manifest]);
		await eventually(`${name} runs`, async () => ['Running', 'Failed'].includes(await get(['pod', name], '.status.phase')));
	};

	// Uses much, and all that it asked for; and one that uses nothing.
	const requests = { cpu: '500m', memory: '120Mi' };
	await run('modest', {
		...data,
		containers: [
			{
				...sh('head -c 40m /dev/zero >/data/mine; dd if=/dev/zero bs=60M count=1 | sleep 3600'),
				resources: { requests, limits: requests },
				volumeMounts,
			},
		],
	});
	await run('idle', { containers: [sh('sleep 3600')] });
	const uid = await get(['pod', 'modest'], '.metadata.uid');
	const group = (await readFile(`/proc/${await processOf(cluster.name, 'modest')}/cgroup`, 'utf8'))
		.split('\n')
		.find((line) => line.includes('memory') || line.startsWith('0::'));
	t.regex(group ?? '', new RegExp(`/kubepods/pod${uid}/`), 'a guaranteed pod is directly in kubepods');
	await eventually('the event of the limit', async () =>
		/NodeAllocatableEnforced .*Updated Node Allocatable limit across pods/.test(
			await k.must(['get', 'events', '--field-selector', `involvedObject.name=${node}`]),
		),
	);

	const tree = await CgroupTree.open();
	const disk = async (): Promise<FsStats> => fsStats(join(cluster.dataDir, 'node'));
	const short = {
		memory: async () => Number(readUsage(tree.pathsOf(`/kubeling-${cluster.name}/kubepods`)).workingSetBytes) > PODS_MEMORY - 100 * MI,
		disk: async () => (await disk()).availableBytes < (await disk()).capacityBytes * 0.3,
		inode: async () => (await disk()).inodesFree < (await disk()).inodes * 0.3,
		pid: async () => (await pidStats()).running > mostPids,
	};
	let mostPids = Number.POSITIVE_INFINITY;
	// The kernel counts those of the whole machine: what others run is no pod's fault, and the agent begins to look only now, with pods that are there.
	const limitPids = async (): Promise<void> => {
		const { limit, running } = await pidStats();
		mostPids = running + PID_MARGIN;
		await writeFile(file, JSON.stringify({ ...config, evictionHard: { ...evictionHard, 'pid.available': String(limit - mostPids) } }));
		await killHard(await pidsOf('daemon', cluster.dataDir));
		await cluster.up('--kubelet-config', file);
	};
	for (const [kind, type, spec, message] of [
		[
			'memory',
			'MemoryPressure',
			{ containers: [sh('dd if=/dev/zero bs=370M count=1 | sleep 3600')] },
			/^The node was low on resource: memory\. Threshold quantity: 100Mi, available: \S+\. Container c was using \S+, request is 0, has larger consumption of memory\. $/,
		],
		[
			'disk',
			'DiskPressure',
			{ ...data, containers: [{ ...sh('head -c 150m /dev/zero >/data/much; sleep 3600'), volumeMounts }] },
			/^The node was low on resource: ephemeral-storage\. Threshold quantity: \S+, available: \S+\. (Container c was using \S+, request is 0, has larger consumption of ephemeral-storage\. )?$/,
		],
		[
			'inode',
			'DiskPressure',
			{ ...data, containers: [{ ...sh('for i in $(seq 3200); do : >/data/$i; done; sleep 3600'), volumeMounts }] },
			/^The node was low on resource: inodes\. Threshold quantity: \S+, available: \S+\. $/,
		],
		[
			'pid',
			'PIDPressure',
			{ containers: [sh(`for i in $(seq ${PIDS}); do sleep 3600 & done; sleep 3600`)] },
			/^The node was low on resource: pids\. Threshold quantity: \S+, available: \S+\. $/,
		],
	] as const) {
		if (kind === 'pid') await limitPids();
		const culprit = `takes-${kind}`;
		await run(culprit, spec);
		await eventually(`${kind} is short`, async () => (await short[kind]()) || (await get(['pod', culprit], '.status.phase')) === 'Failed');
		const from = performance.now();
		const seen = eventually(`${type} of the node`, async () => (await condition(type)) === 'True');
		await eventually(`${culprit} evicted`, async () => (await get(['pod', culprit], '.status.phase')) === 'Failed');
		t.log(`${kind}: evicted ${((performance.now() - from) / 1000).toFixed(1)} s after it was short`);
		await seen;
		t.is(await get(['pod', culprit], '.status.reason'), 'Evicted');
		t.regex(await get(['pod', culprit], '.status.message'), message);
		t.is(await get(['pod', culprit], '.status.conditions[?(@.type=="DisruptionTarget")].reason'), 'TerminationByKubelet');
		for (const other of ['modest', 'idle']) {
			t.is(await get(['pod', other], '.status.phase'), 'Running', `${other} is not to blame`);
			t.is(await get(['pod', other], '.status.containerStatuses[0].restartCount'), '0');
		}
		await k.must(['delete', 'pod', culprit]);
		await eventually(`the end of ${type}`, async () => (await condition(type)) === 'False');
	}

	// A pod beyond a limit of its own, on a node that is short of nothing.
	await run('beyond', {
		volumes: [{ name: 'data', emptyDir: { sizeLimit: '5Mi' } }],
		containers: [{ ...sh('head -c 10m /dev/zero >/data/x; sleep 3600'), volumeMounts }],
	});
	await eventually('the one beyond its limit evicted', async () => (await get(['pod', 'beyond'], '.status.reason')) === 'Evicted');
	t.is(await get(['pod', 'beyond'], '.status.message'), 'Usage of EmptyDir volume "data" exceeds the limit "5Mi". ');
	t.is(await get(['pod', 'idle'], '.status.phase'), 'Running');
	// Nothing of a pod that is gone stays.
	await k.must(['delete', 'pod', 'modest', '--grace-period=1']);
	await eventually('its group gone', async () => !(await groups(cluster.name)).includes(`pod${uid}`));
});

/** A small file system with few inodes on a file; taken apart however the test ends. */
async function loopDisk(file: string, at: string): Promise<AsyncDisposable> {
	await must('sh', ['-c', `head -c ${256 * MI} /dev/zero >${file} && mkfs.ext4 -q -N 4096 -m 0 ${file}`]);
	await mkdir(at, { recursive: true });
	const device = await attachLoop(file);
	await mount(device, at, { type: 'ext4', options: [] });
	return {
		async [Symbol.asyncDispose]() {
			await unmount(at).catch(() => {});
			// The cluster's folder may be gone, and the file with it; the device has it still.
			await detachLoop({ path: device, backingFile: backingFileOf(basename(device)) ?? file });
			await rm(file, { force: true });
		},
	};
}

/** The process of a pod's container, by the engine's word. */
async function processOf(cluster: string, pod: string): Promise<string> {
	const id = await must('docker', [
		'ps',
		'-q',
		'--filter',
		`label=io.kubernetes.pod.name=${pod}`,
		'--filter',
		'label=io.kubernetes.container.name=c',
	]);
	const ids = id.trim().split('\n');
	for (const one of ids) {
		const text = await must('docker', ['inspect', '-f', '{{.State.Pid}} {{.HostConfig.CgroupParent}}', one]);
		if (text.includes(`kubeling-${cluster}`)) return text.split(' ')[0] ?? '';
	}
	throw new Error(`no container of ${pod}: ${id}`);
}

async function groups(cluster: string): Promise<string> {
	return must('sh', ['-c', `find /sys/fs/cgroup -path '*kubeling-${cluster}*' -type d`]);
}
