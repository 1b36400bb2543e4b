/** Usage of containers and pods from cgroup and /proc files: no call to the engine. */
import { dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { type CgroupPaths, type CgroupUsage, parseCgroupPaths, readProcesses, readUsage } from '../../host/cgroups.ts';
import { type Pressure, type Pressures, readPressures, readSwapLimit } from '../../host/cgroup-details.ts';
import { memoryInfo } from '../../host/memory.ts';
import { readSmall } from '../../host/small-file.ts';
import type { ContainerStats, CpuUsage, MemoryUsage, PodSandboxStats, PsiData, PsiStats } from '../proto.ts';
import type { Live } from '../state/live.ts';
import type { ContainerRecord, SandboxRecord } from '../state/records.ts';
import type { Tracked } from '../state/state.ts';
import { type LayerSize, LayerUsage } from './layer-usage.ts';
import { networkUsage } from './network-usage.ts';

/** A long list gives others their turn this often. */
const SLICE_MS = 3;
/** A rate over less than this says nothing. */
const RATE_MS = 100;

interface Machine {
	readonly memoryBytes: bigint;
	readonly timestamp: bigint;
}

/** What is read of one cgroup, and what it means. */
interface Sample {
	readonly groups: CgroupPaths;
	readonly usage: CgroupUsage;
	readonly pressures: Pressures;
}

export class StatsCollector {
	readonly #clock: Clock;
	readonly #engineRoot: string;
	readonly #layers: LayerUsage;
	/** A process stays in its cgroup: /proc is read once for each. */
	readonly #groups = new Map<string, { readonly pid: number; readonly groups: CgroupPaths | undefined }>();
	readonly #rates = new Map<string, { readonly nanos: bigint; readonly atMs: number; readonly rate: bigint | undefined }>();

	constructor(clock: Clock, engineRoot: string) {
		this.#clock = clock;
		this.#engineRoot = engineRoot;
		this.#layers = new LayerUsage(clock);
	}

	async containers(all: readonly Tracked<ContainerRecord>[]): Promise<ContainerStats[]> {
		const machine = await this.#machine();
		return this.#each(all, (container) => this.#container(container, machine));
	}

	async sandboxes(
		all: readonly { readonly sandbox: Tracked<SandboxRecord>; readonly containers: readonly Tracked<ContainerRecord>[] }[],
	): Promise<PodSandboxStats[]> {
		const machine = await this.#machine();
		return this.#each(all, ({ sandbox, containers }) => this.#sandbox(sandbox, containers, machine));
	}

	/** The groups of a running process; undefined where it does not run (any more). */
	groupsOf(id: string, live: Live): CgroupPaths | undefined {
		if (live.state !== 'running') return undefined;
		const known = this.#groups.get(id);
		if (known?.pid === live.pid) return known.groups;
		const text = readSmall(`/proc/${live.pid}/cgroup`);
		const groups = text === undefined ? undefined : parseCgroupPaths(text);
		this.#groups.set(id, { pid: live.pid, groups });
		return groups;
	}

	/** What was written into the container's layer, as far as it is known. */
	layer({ record, inspect }: Tracked<ContainerRecord>): LayerSize {
		return this.#layers.size(record.id, inspect?.GraphDriver?.Data?.['UpperDir']);
	}

	/** Walks that were asked for have ended. */
	settled(): Promise<void> {
		return this.#layers.settled();
	}

	/** Forgets what is kept of others. */
	keep(ids: ReadonlySet<string>): void {
		this.#layers.keep(ids);
		for (const map of [this.#groups, this.#rates]) for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
	}

	async #machine(): Promise<Machine> {
		return { memoryBytes: BigInt((await memoryInfo()).totalBytes), timestamp: BigInt(this.#clock.now()) * 1_000_000n };
	}

	async #each<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
		const results: R[] = [];
		let from = this.#clock.monotonic();
		for (const item of items) {
			results.push(work(item));
			if (this.#clock.monotonic() - from < SLICE_MS) continue;
			await new Promise((resolve) => setImmediate(resolve));
			from = this.#clock.monotonic();
		}
		return results;
	}

	#sample(id: string, live: Live): Sample | undefined {
		const groups = this.groupsOf(id, live);
		return groups === undefined ? undefined : { groups, usage: readUsage(groups), pressures: readPressures(groups) };
	}

	#container(container: Tracked<ContainerRecord>, { timestamp, memoryBytes }: Machine): ContainerStats {
		const { record, live } = container;
		const sample = this.#sample(record.id, live);
		const layer = this.layer(container);
		const swapLimit = sample === undefined ? undefined : readSwapLimit(sample.groups, sample.usage.memoryLimitBytes);
		const swap = sample?.usage.swapBytes ?? 0n;
		return {
			attributes: { id: record.id, metadata: record.config.metadata, labels: record.config.labels, annotations: record.config.annotations },
			cpu: cpuUsage(sample, timestamp, this.#rate(record.id, sample)),
			memory: memoryUsage(sample, timestamp, memoryBytes),
			writableLayer: {
				timestamp,
				fsId: { mountpoint: this.#engineRoot },
				usedBytes: { value: layer.usedBytes },
				inodesUsed: { value: layer.inodes },
			},
			swap:
				sample === undefined
					? undefined
					: {
							timestamp,
							swapAvailableBytes: swapLimit === undefined ? undefined : { value: swapLimit > swap ? swapLimit - swap : 0n },
							swapUsageBytes: { value: swap },
						},
			io: sample?.pressures.io === undefined ? undefined : { timestamp, psi: psiOf(sample.pressures.io) },
		};
	}

	#sandbox({ record, live }: Tracked<SandboxRecord>, containers: readonly Tracked<ContainerRecord>[], machine: Machine): PodSandboxStats {
		const { timestamp, memoryBytes } = machine;
		const own = this.#sample(record.id, live);
		const samples = containers.flatMap((c) => this.#sample(c.record.id, c.live) ?? []);
		const all = own === undefined ? samples : [own, ...samples];
		const usage = all.length === 0 ? undefined : all.map((s) => s.usage).reduce(add);
		const isInPodGroup = (record.config.linux?.cgroupParent ?? '') !== '';
		const total = usage === undefined ? undefined : { usage, pressures: podPressures(own, isInPodGroup) };
		return {
			attributes: { id: record.id, metadata: record.metadata, labels: record.config.labels, annotations: record.config.annotations },
			linux: {
				cpu: cpuUsage(total, timestamp, this.#rate(record.id, total)),
				memory: memoryUsage(total, timestamp, memoryBytes),
				network: live.state === 'running' && record.address !== undefined ? networkUsage(live.pid, timestamp) : undefined,
				process:
					all.length === 0 ? undefined : { timestamp, processCount: { value: all.reduce((n, s) => n + readProcesses(s.groups), 0n) } },
				containers: containers.map((c) => this.#container(c, machine)),
				io: total?.pressures.io === undefined ? undefined : { timestamp, psi: psiOf(total.pressures.io) },
			},
			windows: undefined,
		};
	}

	/** Nanoseconds of CPU a second, since somebody last asked. */
	#rate(id: string, sample: Pick<Sample, 'usage'> | undefined): bigint | undefined {
		if (sample === undefined) return undefined;
		const nanos = sample.usage.cpuNanos;
		const atMs = this.#clock.monotonic();
		const last = this.#rates.get(id);
		if (last !== undefined && atMs - last.atMs < RATE_MS) return last.rate;
		const rate =
			last === undefined || nanos < last.nanos ? undefined : BigInt(Math.round(Number(nanos - last.nanos) / ((atMs - last.atMs) / 1000)));
		this.#rates.set(id, { nanos, atMs, rate });
		return rate;
	}
}

/** Pressure is no sum: the pod's is that of the group which the kubelet made, above those of its containers. */
function podPressures(pause: Sample | undefined, isInPodGroup: boolean): Pressures {
	if (pause === undefined || !isInPodGroup || pause.groups.version === 1) return { cpu: undefined, memory: undefined, io: undefined };
	return readPressures({ version: 2, path: dirname(pause.groups.path) });
}

function cpuUsage(
	sample: Pick<Sample, 'usage' | 'pressures'> | undefined,
	timestamp: bigint,
	rate: bigint | undefined,
): CpuUsage | undefined {
	if (sample === undefined) return undefined;
	return {
		timestamp,
		usageCoreNanoSeconds: { value: sample.usage.cpuNanos },
		usageNanoCores: rate === undefined ? undefined : { value: rate },
		psi: psiOf(sample.pressures.cpu),
	};
}

function memoryUsage(
	sample: Pick<Sample, 'usage' | 'pressures'> | undefined,
	timestamp: bigint,
	machineBytes: bigint,
): MemoryUsage | undefined {
	if (sample === undefined) return undefined;
	const { usage } = sample;
	const limit = usage.memoryLimitBytes ?? machineBytes;
	return {
		timestamp,
		workingSetBytes: { value: usage.workingSetBytes },
		availableBytes: { value: limit > usage.workingSetBytes ? limit - usage.workingSetBytes : 0n },
		usageBytes: { value: usage.memoryBytes },
		rssBytes: { value: usage.rssBytes },
		pageFaults: { value: usage.pageFaults },
		majorPageFaults: { value: usage.majorPageFaults },
		psi: psiOf(sample.pressures.memory),
	};
}

/** Pure: CRI's form. */
export function psiOf(pressure: Pressure | undefined): PsiStats | undefined {
	if (pressure === undefined) return undefined;
	const data = ({ totalNanos, avg10, avg60, avg300 }: Pressure['some']): PsiData => ({
		Total: totalNanos,
		Avg10: avg10,
		Avg60: avg60,
		Avg300: avg300,
	});
	return { Full: data(pressure.full), Some: data(pressure.some) };
}

function add(a: CgroupUsage, b: CgroupUsage): CgroupUsage {
	return {
		cpuNanos: a.cpuNanos + b.cpuNanos,
		memoryBytes: a.memoryBytes + b.memoryBytes,
		workingSetBytes: a.workingSetBytes + b.workingSetBytes,
		rssBytes: a.rssBytes + b.rssBytes,
		memoryLimitBytes: undefined,
		swapBytes: a.swapBytes + b.swapBytes,
		pageFaults: a.pageFaults + b.pageFaults,
		majorPageFaults: a.majorPageFaults + b.majorPageFaults,
	};
}
