/** What CRI says of a container, from its record and the engine's view. Pure. */
import { ContainerState, type Container, type ContainerFilter, type ContainerResources, type ContainerStatus } from '../proto.ts';
import type { HostConfig } from '../engine/types.ts';
import type { Live } from '../state/live.ts';
import type { ContainerRecord } from '../state/records.ts';
import type { Tracked } from '../state/state.ts';
import { hasLabels } from './sandbox-status.ts';
import { criSignal } from './signals.ts';
import { criUser } from './user.ts';

export function containerState(live: Live): ContainerState {
	switch (live.state) {
		case 'created':
			return ContainerState.CONTAINER_CREATED;
		case 'running':
			return ContainerState.CONTAINER_RUNNING;
		case 'exited':
			return ContainerState.CONTAINER_EXITED;
		case 'unknown':
			return ContainerState.CONTAINER_UNKNOWN;
	}
}

export function containerStatus({ record, live, inspect }: Tracked<ContainerRecord>): ContainerStatus {
	const { config } = record;
	return {
		id: record.id,
		metadata: config.metadata,
		state: containerState(live),
		createdAt: BigInt(record.createdAtMs) * 1_000_000n,
		startedAt: live.state === 'running' || live.state === 'exited' ? live.startedAtNanos : 0n,
		finishedAt: live.state === 'exited' ? finishedAt(live.finishedAtNanos, record.createdAtMs) : 0n,
		exitCode: live.state === 'exited' ? live.exitCode : 0,
		image: config.image,
		imageRef: record.imageRef,
		imageId: record.imageId,
		...why(live),
		labels: config.labels,
		annotations: config.annotations,
		mounts: config.mounts,
		logPath: record.logPath,
		resources: containerResources(record, inspect?.HostConfig),
		user: criUser(record.user),
		stopSignal: criSignal(inspect?.Config.StopSignal ?? 'SIGTERM'),
	};
}

/** What never ran ended when it was created: a kubelet counts its back-off from here, and from 1970 it would start again at once, for ever. */
function finishedAt(nanos: bigint, createdAtMs: number): bigint {
	return nanos === 0n ? BigInt(createdAtMs) * 1_000_000n : nanos;
}

/** Reasons as upstream's runtimes give them: kubectl shows them. */
function why(live: Live): { reason: string; message: string } {
	if (live.state !== 'exited') return { reason: '', message: '' };
	if (live.error !== '') return { reason: 'StartError', message: live.error };
	if (live.oomKilled) return { reason: 'OOMKilled', message: '' };
	return { reason: live.exitCode === 0 ? 'Completed' : 'Error', message: '' };
}

export function containerItem({ record, live }: Tracked<ContainerRecord>): Container {
	const { config } = record;
	return {
		id: record.id,
		podSandboxId: record.sandboxId,
		metadata: config.metadata,
		image: config.image,
		imageRef: record.imageRef,
		imageId: record.imageId,
		state: containerState(live),
		createdAt: BigInt(record.createdAtMs) * 1_000_000n,
		labels: config.labels,
		annotations: config.annotations,
	};
}

/** All that a filter asks for but the state, which needs no look at the engine. */
export function isContainerNamed({ id, sandboxId, config }: ContainerRecord, filter: ContainerFilter | undefined): boolean {
	if (filter === undefined) return true;
	return id.startsWith(filter.id) && sandboxId.startsWith(filter.podSandboxId) && hasLabels(config.labels, filter.labelSelector);
}

/** What the engine has set now, which an update may have changed; before it was asked, what the container was created with. */
function containerResources({ config, oomScoreAdj }: ContainerRecord, host: HostConfig | undefined): ContainerResources | undefined {
	const asked = config.linux?.resources;
	if (host === undefined) return asked === undefined ? undefined : { linux: asked, windows: undefined };
	const big = (value: number | undefined): bigint => BigInt(value ?? 0);
	return {
		linux: {
			cpuPeriod: big(host.CpuPeriod),
			cpuQuota: big(host.CpuQuota),
			cpuShares: big(host.CpuShares),
			memoryLimitInBytes: big(host.Memory),
			memorySwapLimitInBytes: big(host.MemorySwap),
			oomScoreAdj: big(oomScoreAdj ?? host.OomScoreAdj),
			cpusetCpus: host.CpusetCpus ?? '',
			cpusetMems: host.CpusetMems ?? '',
			hugepageLimits: asked?.hugepageLimits ?? [],
			unified: asked?.unified ?? {},
		},
		windows: undefined,
	};
}
