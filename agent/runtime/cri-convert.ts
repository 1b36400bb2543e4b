/** CRI answers as the agent's view of a pod. Pure. */
import {
	ContainerEventType,
	ContainerState,
	NamespaceMode,
	PodSandboxState,
	type Container,
	type ContainerEventResponse,
	type ContainerStatus,
	type Image,
	type PodSandboxStatus,
	type StatusResponse,
	type VersionResponse,
} from '../../wire/gen/cri.ts';
import { fromCriSignal } from './cri-signal.ts';
import { toActual } from './cri-resources.ts';
import { CONTAINER_NAME, HASH, POD_UID } from './cri-config.ts';
import type { ContainerRuntime, ImageInfo, RuntimeEvent, RuntimeStatus, SandboxRuntime } from './runtime.ts';

export function toSandbox(status: PodSandboxStatus): SandboxRuntime {
	const { ip = '', additionalIps = [] } = status.network ?? {};
	return {
		id: status.id,
		attempt: status.metadata?.attempt ?? 0,
		ready: isReady(status.state),
		createdAt: millis(status.createdAt),
		ips: [ip, ...additionalIps.map((a) => a.ip)].filter((a) => a !== ''),
		hostNetwork: status.linux?.namespaces?.options?.network === NamespaceMode.NODE,
		runtimeHandler: status.runtimeHandler,
	};
}

export function toContainer(listed: Container, status: ContainerStatus): ContainerRuntime {
	const stopSignal = fromCriSignal(status.stopSignal);
	const user = status.user?.linux;
	const volumeImages = status.mounts.flatMap(({ image }) => (image === undefined ? [] : [image.image]));
	return {
		id: status.id,
		name: status.metadata?.name ?? status.labels[CONTAINER_NAME] ?? '',
		sandboxId: listed.podSandboxId,
		state: stateOf(status.state),
		attempt: status.metadata?.attempt ?? 0,
		image: status.image?.image ?? '',
		imageRef: status.imageRef,
		imageId: status.imageId,
		...(volumeImages.length === 0 ? {} : { volumeImages }),
		createdAt: millis(status.createdAt),
		startedAt: status.startedAt === 0n ? undefined : millis(status.startedAt),
		finishedAt: status.finishedAt === 0n ? undefined : millis(status.finishedAt),
		exitCode: status.state === ContainerState.CONTAINER_EXITED ? status.exitCode : undefined,
		reason: status.reason,
		message: status.message,
		hash: status.annotations[HASH] ?? '',
		annotations: status.annotations,
		logPath: status.logPath,
		...(status.resources?.linux === undefined ? {} : { resources: toActual(status.resources.linux) }),
		...(stopSignal === undefined ? {} : { stopSignal }),
		...(user === undefined
			? {}
			: { user: { uid: Number(user.uid), gid: Number(user.gid), supplementalGroups: user.supplementalGroups.map(Number) } }),
	};
}

export function toEvent(event: ContainerEventResponse): RuntimeEvent {
	const podUid = event.podSandboxStatus?.metadata?.uid ?? event.containersStatuses[0]?.labels[POD_UID] ?? '';
	const type = (
		{
			[ContainerEventType.CONTAINER_CREATED_EVENT]: 'created',
			[ContainerEventType.CONTAINER_STARTED_EVENT]: 'started',
			[ContainerEventType.CONTAINER_STOPPED_EVENT]: 'stopped',
			[ContainerEventType.CONTAINER_DELETED_EVENT]: 'deleted',
		} as const
	)[event.containerEventType as 0 | 1 | 2 | 3];
	return { podUid, containerId: event.containerId, type: type ?? 'stopped', at: Number(event.createdAt) / 1e6 };
}

export function toImage(image: Image): ImageInfo {
	return {
		id: image.id,
		tags: image.repoTags,
		digests: image.repoDigests,
		sizeBytes: Number(image.size),
		uid: image.uid === undefined ? undefined : Number(image.uid.value),
		username: image.username,
		pinned: image.pinned,
	};
}

export function toStatus(status: StatusResponse, version: VersionResponse): RuntimeStatus {
	const condition = (type: string) => status.status?.conditions.find((c) => c.type === type);
	const [runtime, network] = [condition('RuntimeReady'), condition('NetworkReady')];
	const messages = [
		...(runtime?.status === true
			? []
			: [`container runtime not ready: RuntimeReady=false reason:${runtime?.reason ?? ''} message:${runtime?.message ?? ''}`]),
		...(network?.status === true
			? []
			: [`container runtime network not ready: NetworkReady=false reason:${network?.reason ?? ''} message:${network?.message ?? ''}`]),
	];
	return {
		runtimeReady: runtime?.status === true,
		networkReady: network?.status === true,
		message: messages.join(', '),
		name: version.runtimeName,
		version: version.runtimeVersion,
		handlers: status.runtimeHandlers.map(({ name, features }) => ({
			name,
			recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts ?? false,
			userNamespaces: features?.userNamespaces ?? false,
		})),
		supplementalGroupsPolicy: status.features?.supplementalGroupsPolicy ?? false,
	};
}

export function isReady(state: PodSandboxState): boolean {
	return state === PodSandboxState.SANDBOX_READY;
}

export function stateOf(state: ContainerState): ContainerRuntime['state'] {
	switch (state) {
		case ContainerState.CONTAINER_CREATED:
			return 'created';
		case ContainerState.CONTAINER_RUNNING:
			return 'running';
		case ContainerState.CONTAINER_EXITED:
			return 'exited';
		case ContainerState.CONTAINER_UNKNOWN:
		case ContainerState.UNRECOGNIZED:
			return 'unknown';
	}
}

/** CRI times are nanoseconds. */
function millis(nanos: bigint): number {
	return Number(nanos / 1_000_000n);
}
