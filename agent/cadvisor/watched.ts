/** The groups of this node as cAdvisor names them: the root, that of all pods, of the classes, of each pod, of each container and sandbox. */
import { stat } from 'node:fs/promises';
import type { Pod } from '../../api/gen/types.ts';
import type { CgroupPaths } from '../../host/cgroups.ts';
import { readSmall } from '../../host/small-file.ts';
import type { FoundGroup } from '../cgroup/pod-groups.ts';
import type { AgentContext } from '../context.ts';
import { containerNamed } from '../pod/containers.ts';
import type { PodUsage } from '../runtime/runtime.ts';
import type { Figures } from '../server/measure.ts';
import type { Labels, Watched } from './families.ts';
import { figuresOfGroup, figuresOfUsage, type GroupFigures } from './figures.ts';
import { DeviceNames, fileSystems } from './file-systems.ts';
import { parseInterfaces, pidsIn, processesOf } from './processes.ts';

/** @param bound the pods of this node, whose specs say what a container's image is called */
export async function watchedGroups(context: AgentContext, figures: Figures, bound: readonly Pod[]): Promise<readonly Watched[]> {
	const names = new DeviceNames();
	const pods = new Map(bound.map((pod) => [pod.metadata.uid ?? '', pod]));
	const usages = new Map(figures.pods.map((usage) => [usage.uid, usage]));
	const all: Watched[] = [await root(context, figures, names)];
	const seen = new Set<string>();
	for (const found of await context.groups.found()) {
		const usage = usages.get(found.podUid ?? '');
		const { runtimeId } = found;
		if (runtimeId === undefined) {
			const labels = { container: '', id: found.path, image: '', name: '', namespace: usage?.namespace ?? '', pod: usage?.name ?? '' };
			all.push({ labels, ...(await lookAt(found.paths, context, names)), startedAt: await bornAt(found.paths) });
			continue;
		}
		if (usage === undefined) continue; // it has just ended, or has just begun
		seen.add(runtimeId);
		all.push(await runtimeGroup(found, runtimeId, usage, pods.get(usage.uid), figures, context, names));
	}
	return [...all, ...elsewhere(figures, pods, seen)];
}

async function root({ groups, clock }: AgentContext, { node }: Figures, names: DeviceNames): Promise<Watched> {
	const labels = { container: '', id: '/', image: '', name: '', namespace: '', pod: '' };
	const figures = named(figuresOfGroup(groups.rootPaths), names);
	const { totalBytes, freeBytes } = node.memory;
	// Version 2's root has no such files: as cAdvisor, by /proc/meminfo.
	const memoryBytes = figures.memoryBytes === 0 ? totalBytes - freeBytes : (figures.memoryBytes ?? 0);
	const workingSetBytes = Math.max(0, memoryBytes - (figures.inactiveFileBytes ?? 0));
	const { spec } = figures;
	return {
		labels,
		at: clock.now(),
		startedAt: node.bootedAt,
		figures: {
			...figures,
			memoryBytes,
			workingSetBytes,
			cpuNanos: figures.cpuNanos === 0 ? node.cpuNanos : figures.cpuNanos,
			...(spec === undefined ? {} : { spec: { ...spec, memoryBytes: totalBytes } }),
		},
		processes: await processesOf(pidsIn(groups.rootPaths)),
		interfaces: parseInterfaces(readSmall('/proc/net/dev') ?? ''),
		fileSystems: await fileSystems(),
	};
}

/** A container, or the sandbox, which has the pod's network. */
async function runtimeGroup(
	{ path, paths }: FoundGroup,
	id: string,
	usage: PodUsage,
	pod: Pod | undefined,
	figures: Figures,
	context: AgentContext,
	names: DeviceNames,
): Promise<Watched> {
	const look = await lookAt(paths, context, names);
	const pids = pidsIn(paths);
	const processes = await processesOf(pids);
	const container = figures.containers.get(id);
	if (container === undefined) {
		const sandbox = figures.sandboxes.get(usage.uid)?.sandboxes.find((s) => s.id === id);
		const labels = { container: '', id: path, image: '', name: id, namespace: usage.namespace, pod: usage.name };
		const net = sandbox === undefined || sandbox.hostNetwork || pids[0] === undefined ? '' : readSmall(`/proc/${pids[0]}/net/dev`);
		return { ...look, labels, startedAt: sandbox?.createdAt, processes, interfaces: parseInterfaces(net ?? '') };
	}
	const written = usage.containers.find((c) => c.id === id)?.writableLayerBytes;
	const labels = { ...labelsOf(usage, container.name, id, pod, container.image), id: path };
	const fileSystems = written === undefined ? [] : [{ device: '', usedBytes: written }];
	return { ...look, labels, startedAt: container.startedAt, processes, fileSystems };
}

/** Containers in no group below their pod's: what the runtime knows of them. */
function elsewhere(figures: Figures, pods: ReadonlyMap<string, Pod>, seen: ReadonlySet<string>): readonly Watched[] {
	return figures.pods.flatMap((pod) => {
		const others = pod.containers.filter((c) => !seen.has(c.id));
		const containers = others.map((c): Watched => {
			const container = figures.containers.get(c.id);
			const labels = labelsOf(pod, c.name, c.id, pods.get(pod.uid), container?.image ?? '');
			const fileSystems = c.writableLayerBytes === undefined ? [] : [{ device: '', usedBytes: c.writableLayerBytes }];
			return { labels, at: c.at, startedAt: container?.startedAt, figures: figuresOfUsage(c), fileSystems };
		});
		const sandbox = figures.sandboxes.get(pod.uid)?.sandboxes[0];
		if (sandbox === undefined || seen.has(sandbox.id)) return containers;
		const labels = { container: '', id: sandbox.id, image: '', name: sandbox.id, namespace: pod.namespace, pod: pod.name };
		const interfaces = pod.interfaces.map((i) => ({
			name: i.name,
			counters: [i.rxBytes, NaN, i.rxErrors, NaN, NaN, NaN, NaN, NaN, i.txBytes, NaN, i.txErrors, NaN],
		}));
		return [...containers, { labels, at: pod.at, startedAt: sandbox.createdAt, figures: {}, interfaces }];
	});
}

function labelsOf(usage: PodUsage, container: string, id: string, pod: Pod | undefined, image: string): Labels {
	const named = pod === undefined ? undefined : containerNamed(pod, container)?.spec.image;
	return { container, id, image: named ?? image, name: id, namespace: usage.namespace, pod: usage.name };
}

/** Others have their turn after it. */
async function lookAt(paths: CgroupPaths, { clock }: AgentContext, names: DeviceNames): Promise<Pick<Watched, 'at' | 'figures'>> {
	await new Promise((resolve) => setImmediate(resolve));
	return { at: clock.now(), figures: named(figuresOfGroup(paths), names) };
}

function named(figures: GroupFigures, names: DeviceNames): GroupFigures {
	return { ...figures, devices: (figures.devices ?? []).map((io) => ({ ...io, name: names.of(io.device) })) };
}

/** When the group was made: its folder tells. */
async function bornAt(paths: CgroupPaths): Promise<number | undefined> {
	const folder = paths.version === 2 ? paths.path : (paths.paths['memory'] ?? paths.paths['cpu'] ?? '/nowhere');
	return stat(folder).then(
		(s) => s.mtimeMs,
		() => undefined,
	);
}
