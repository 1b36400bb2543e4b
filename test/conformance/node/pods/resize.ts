/** [sig-node] Pod InPlace Resize: amounts of containers that run, in the API and in their cgroups. */
import { CoreV1Api, type V1Container, type V1Pod, type V1ResourceRequirements } from '@kubernetes/client-node';
import { patch } from '../../patch.ts';
import { conformance, type World } from '../../suite.ts';
import { containerOf, inside, nameOf, running, STAYS, until } from '../pod.ts';

/** Of the first kind of cgroups and of the second: quota in µs of 100 ms, and bytes. */
const LOOK =
	'if test -e /sys/fs/cgroup/cpu.max; then cut -d" " -f1 /sys/fs/cgroup/cpu.max; cat /sys/fs/cgroup/memory.max; ' +
	'else cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/memory/memory.limit_in_bytes; fi';

const milli = (cpu: string): number => (cpu.endsWith('m') ? Number.parseInt(cpu) : Number(cpu) * 1000);
const bytes = (memory: string): number => Number.parseInt(memory) * (memory.endsWith('Mi') ? 1 << 20 : 1);

/** Amounts: cpu request, memory request, and the limits if they are others than that. */
const exactly = (cpu: string, memory: string): V1ResourceRequirements => ({ requests: { cpu, memory }, limits: { cpu, memory } });

const named = (resources: readonly V1ResourceRequirements[]) => resources.map((r, i) => ({ name: `c${i + 1}`, resources: r }));

async function started(world: World, before: readonly V1ResourceRequirements[]): Promise<V1Pod> {
	const containers = named(before).map(({ name, resources }): V1Container => containerOf(world, STAYS, { name, resources }));
	return running(world, { spec: { containers } });
}

/** The pod is what was asked for: no container was started again, and each one's cgroup has the limits. */
async function became(world: World, name: string, after: readonly V1ResourceRequirements[]): Promise<void> {
	const { t } = world;
	const wanted = named(after);
	const { status, metadata } = await until(
		world,
		name,
		`has ${JSON.stringify(wanted)}`,
		({ status: s, metadata: m }) =>
			wanted.every(({ name: c, resources }) => {
				const now = s?.containerStatuses?.find((container) => container.name === c)?.resources;
				return (['requests', 'limits'] as const).every((kind) => {
					const [want, has] = [resources[kind] ?? {}, now?.[kind] ?? {}];
					return Object.entries(want).every(([resource, amount]) => has[resource] === amount);
				});
			}) &&
			s?.observedGeneration === m?.generation &&
			!s?.conditions?.some(({ type }) => type.startsWith('PodResize')),
	);
	t.deepEqual(
		status?.containerStatuses?.map(({ restartCount }) => restartCount),
		wanted.map(() => 0),
		metadata?.name,
	);
	for (const { name: c, resources } of wanted) {
		const { cpu, memory } = resources.limits ?? {};
		const [quota, limit] = (await inside(world, name, LOOK, c)).trim().split('\n');
		// The kernel's least quota is a millisecond.
		if (cpu !== undefined) t.is(Number(quota), Math.max(1000, milli(cpu) * 100), `${c}'s quota`);
		if (memory !== undefined) t.is(Number(limit), bytes(memory), `${c}'s limit`);
	}
}

async function resized(world: World, before: readonly V1ResourceRequirements[], after: readonly V1ResourceRequirements[]): Promise<void> {
	const name = nameOf(await started(world, before));
	const path = `/api/v1/namespaces/${world.namespace}/pods/${name}/resize`;
	const answer = await patch(world, path, { spec: { containers: named(after) } });
	world.t.is(answer.code, 200, answer.text);
	await became(world, name, after);
}

const THREE = [exactly('20m', '32Mi'), exactly('20m', '32Mi'), exactly('20m', '32Mi')];

conformance(
	'[sig-node] Pod InPlace Resize Container guaranteed pods with multiple containers 3 containers - increase cpu & mem on c1, c2, decrease cpu & mem on c3 - net increase [MinimumKubeletVersion:1.34] [Conformance]',
	(world) => resized(world, THREE, [exactly('30m', '48Mi'), exactly('30m', '48Mi'), exactly('10m', '16Mi')]),
);

conformance(
	'[sig-node] Pod InPlace Resize Container guaranteed pods with multiple containers 3 containers - increase cpu & mem on c1, decrease cpu & mem on c2, c3 - net decrease [MinimumKubeletVersion:1.34] [Conformance]',
	(world) => resized(world, THREE, [exactly('30m', '48Mi'), exactly('10m', '16Mi'), exactly('10m', '16Mi')]),
);

conformance(
	'[sig-node] Pod InPlace Resize Container guaranteed pods with multiple containers 3 containers - increase: CPU (c1,c3), memory (c2, c3) ; decrease: CPU (c2) [MinimumKubeletVersion:1.34] [Conformance]',
	(world) => resized(world, THREE, [exactly('30m', '32Mi'), exactly('10m', '48Mi'), exactly('30m', '48Mi')]),
);

conformance(
	'[sig-node] Pod InPlace Resize Container burstable pods - extended 6 containers - various operations performed (including adding limits and requests) [MinimumKubeletVersion:1.34] [Conformance]',
	(world) =>
		resized(
			world,
			[
				{},
				{ requests: { cpu: '10m' } },
				{ requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '20m', memory: '32Mi' } },
				{ requests: { cpu: '20m', memory: '16Mi' } },
				{ requests: { memory: '16Mi' }, limits: { memory: '32Mi' } },
				{ requests: { cpu: '10m' }, limits: { cpu: '20m' } },
			],
			[
				{ requests: { cpu: '10m' }, limits: { cpu: '20m' } },
				{ requests: { cpu: '20m', memory: '16Mi' }, limits: { memory: '32Mi' } },
				{ requests: { cpu: '20m', memory: '24Mi' }, limits: { cpu: '30m', memory: '48Mi' } },
				{ requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '20m', memory: '32Mi' } },
				{ requests: { cpu: '10m', memory: '24Mi' }, limits: { cpu: '20m', memory: '48Mi' } },
				{ requests: { cpu: '20m' }, limits: { cpu: '30m' } },
			],
		),
);

conformance(
	'[sig-node] Pod InPlace Resize Container burstable pods - extended resize with equivalents [MinimumKubeletVersion:1.34] [Conformance]',
	(world) =>
		// Other words for the same shares and the same quota: nothing is to be done, and done it is.
		resized(world, [{ requests: { cpu: '2m' }, limits: { cpu: '10m' } }], [{ requests: { cpu: '1m' }, limits: { cpu: '5m' } }]),
);

conformance(
	'[sig-node] Pod InPlace Resize Container resize pod via the replace endpoint [MinimumKubeletVersion:1.34] [Conformance]',
	async (world) => {
		const { api, namespace } = world;
		const name = nameOf(await started(world, [exactly('10m', '16Mi')]));
		const core = api(CoreV1Api);
		const pod = await core.readNamespacedPodResize({ namespace, name });
		const after = exactly('20m', '32Mi');
		const containers = pod.spec?.containers.map((c) => ({ ...c, resources: after })) ?? [];
		await core.replaceNamespacedPodResize({ namespace, name, body: { ...pod, spec: { ...pod.spec, containers } } });
		await became(world, name, [after]);
	},
);
