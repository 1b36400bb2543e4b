/** What CRI says of a sandbox, from its record and the engine's view. Pure. */
import { NamespaceMode, PodSandboxState, type PodSandbox, type PodSandboxFilter, type PodSandboxStatus } from '../proto.ts';
import type { SandboxRecord } from '../state/records.ts';
import type { Tracked } from '../state/state.ts';

export function sandboxState({ live }: Tracked<SandboxRecord>): PodSandboxState {
	return live.state === 'running' ? PodSandboxState.SANDBOX_READY : PodSandboxState.SANDBOX_NOTREADY;
}

export function sandboxStatus(sandbox: Tracked<SandboxRecord>): PodSandboxStatus {
	const { record } = sandbox;
	const options = record.config.linux?.securityContext?.namespaceOptions;
	return {
		id: record.id,
		metadata: record.metadata,
		state: sandboxState(sandbox),
		createdAt: BigInt(record.createdAtMs) * 1_000_000n,
		network: { ip: record.address?.ips[0] ?? '', additionalIps: (record.address?.ips ?? []).slice(1).map((ip) => ({ ip })) },
		linux: {
			namespaces: {
				options: {
					network: options?.network ?? NamespaceMode.POD,
					pid: options?.pid ?? NamespaceMode.POD,
					ipc: options?.ipc ?? NamespaceMode.POD,
					targetId: options?.targetId ?? '',
					usernsOptions: options?.usernsOptions,
				},
			},
		},
		labels: record.config.labels,
		annotations: record.config.annotations,
		runtimeHandler: record.runtimeHandler,
	};
}

export function sandboxItem(sandbox: Tracked<SandboxRecord>): PodSandbox {
	const { record } = sandbox;
	return {
		id: record.id,
		metadata: record.metadata,
		state: sandboxState(sandbox),
		createdAt: BigInt(record.createdAtMs) * 1_000_000n,
		labels: record.config.labels,
		annotations: record.config.annotations,
		runtimeHandler: record.runtimeHandler,
	};
}

/** All that a filter asks for but the state, which needs no look at the engine. */
export function isSandboxNamed({ id, config }: SandboxRecord, filter: PodSandboxFilter | undefined): boolean {
	return filter === undefined || (id.startsWith(filter.id) && hasLabels(config.labels, filter.labelSelector));
}

export function hasLabels(labels: Readonly<Record<string, string>>, selector: Readonly<Record<string, string>>): boolean {
	return Object.entries(selector).every(([key, value]) => labels[key] === value);
}
