/** [sig-node] Downward API: what a pod is told of itself in its environment. */
import { CoreV1Api, type V1EnvVar, type V1ResourceRequirements } from '@kubernetes/client-node';
import { conformance, type World } from '../../suite.ts';
import { ended, logOf, nameOf, type Wanted } from '../pod.ts';

const field = (name: string, fieldPath: string): V1EnvVar => ({ name, valueFrom: { fieldRef: { fieldPath } } });
const amount = (name: string, resource: string): V1EnvVar => ({ name, valueFrom: { resourceFieldRef: { resource } } });

/** The pod as it was, and its environment by name. */
async function told(world: World, env: V1EnvVar[], more: Wanted = {}, resources?: V1ResourceRequirements) {
	const container = { command: ['env'], env, ...(resources === undefined ? {} : { resources }) };
	const pod = await ended(world, { ...more, container });
	const lines = (await logOf(world, nameOf(pod))).split('\n');
	return { pod, of: (name: string) => lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) };
}

conformance(
	'[sig-node] Downward API should provide pod name, namespace and IP address as env vars [NodeConformance] [Conformance]',
	async (world) => {
		const { pod, of } = await told(world, [
			field('NAME', 'metadata.name'),
			field('NAMESPACE', 'metadata.namespace'),
			field('IP', 'status.podIP'),
		]);
		world.t.is(of('NAME'), pod.metadata?.name);
		world.t.is(of('NAMESPACE'), world.namespace);
		world.t.regex(of('IP') ?? '', /^\d+\.\d+\.\d+\.\d+$/);
		world.t.is(of('IP'), pod.status?.podIP);
	},
);

conformance('[sig-node] Downward API should provide pod UID as env vars [NodeConformance] [Conformance]', async (world) => {
	const { pod, of } = await told(world, [field('UID', 'metadata.uid')]);
	world.t.is(of('UID'), pod.metadata?.uid);
});

conformance('[sig-node] Downward API should provide host IP as an env var [NodeConformance] [Conformance]', async (world) => {
	const { pod, of } = await told(world, [field('HOST', 'status.hostIP')]);
	world.t.truthy(pod.status?.hostIP);
	world.t.is(of('HOST'), pod.status?.hostIP);
});

conformance('[sig-node] Downward API should provide hostIPs as an env var [NodeConformance] [Conformance]', async (world) => {
	const { pod, of } = await told(world, [field('HOSTS', 'status.hostIPs')]);
	world.t.is(of('HOSTS'), pod.status?.hostIPs?.map(({ ip }) => ip).join(','));
	world.t.is(of('HOSTS')?.split(',')[0], pod.status?.hostIP);
});

const AMOUNTS = [
	amount('CPU_LIMIT', 'limits.cpu'),
	amount('MEMORY_LIMIT', 'limits.memory'),
	amount('CPU_REQUEST', 'requests.cpu'),
	amount('MEMORY_REQUEST', 'requests.memory'),
];

conformance(
	"[sig-node] Downward API should provide container's limits.cpu/memory and requests.cpu/memory as env vars [NodeConformance] [Conformance]",
	async (world) => {
		const resources = { requests: { cpu: '250m', memory: '32Mi' }, limits: { cpu: '1250m', memory: '64Mi' } };
		const { of } = await told(world, AMOUNTS, {}, resources);
		// In whole cores unless a divisor says otherwise, rounded up.
		world.t.deepEqual(['CPU_LIMIT', 'MEMORY_LIMIT', 'CPU_REQUEST', 'MEMORY_REQUEST'].map(of), ['2', '67108864', '1', '33554432']);
	},
);

conformance(
	'[sig-node] Downward API should provide default limits.cpu/memory from node allocatable [NodeConformance] [Conformance]',
	async (world) => {
		const { pod, of } = await told(world, AMOUNTS.slice(0, 2));
		const node = await world.api(CoreV1Api).readNode({ name: pod.spec?.nodeName ?? '' });
		const { cpu = '', memory = '' } = node.status?.allocatable ?? {};
		world.t.is(of('CPU_LIMIT'), String(Math.ceil(cpu.endsWith('m') ? Number.parseInt(cpu) / 1000 : Number(cpu))));
		world.t.is(of('MEMORY_LIMIT'), String(memory.endsWith('Ki') ? Number.parseInt(memory) * 1024 : Number(memory)));
	},
);
