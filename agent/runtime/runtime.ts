/** All that the agent knows of containers. Implementations: the CRI socket, the simulated runtime; one shared suite. */
import type { Duplex } from 'node:stream';
import type { Pod } from '../../api/gen/types.ts';
import type { IdRange } from '../users/id-range.ts';
import type { RuntimeEvent } from './runtime-event.ts';

export interface ContainerRuntime {
	readonly id: string;
	readonly name: string;
	readonly sandboxId: string;
	readonly state: 'created' | 'running' | 'exited' | 'unknown';
	readonly attempt: number;
	readonly image: string;
	/** The digest reference that a status names. */
	readonly imageRef: string;
	readonly imageId: string;
	/** Ids of the images that it has as volumes; none when absent. */
	readonly volumeImages?: readonly string[];
	readonly createdAt: number;
	readonly startedAt: number | undefined;
	readonly finishedAt: number | undefined;
	readonly exitCode: number | undefined;
	readonly reason: string;
	readonly message: string;
	/** Hash of name and image, from the annotation. */
	readonly hash: string;
	readonly annotations: Readonly<Record<string, string>>;
	readonly logPath: string;
	/** What it was given; undefined where the runtime does not say. */
	readonly resources?: ActualResources | undefined;
	/** "SIGTERM"; undefined where the runtime does not say. */
	readonly stopSignal?: string;
	/** Whom its first process runs as; undefined where the runtime does not say. */
	readonly user?: { readonly uid: number; readonly gid: number; readonly supplementalGroups: readonly number[] };
}

/** As the kernel has them; 0 where there is no limit. */
export interface ActualResources {
	readonly cpuShares: number;
	readonly cpuQuotaUs: number;
	readonly cpuPeriodUs: number;
	readonly memoryLimitBytes: number;
}

/** How requests and limits become those of the kernel. */
export interface ResourceRules {
	/** CPU limits bind. */
	readonly cpuQuota: boolean;
	readonly cpuPeriodUs: number;
	/** A container that is out of memory ends as a whole: version 2 of control groups only. */
	readonly oomGroup: boolean;
	/** How swap is limited; not at all when absent. */
	readonly swap?: SwapRules | undefined;
}

export interface SwapRules {
	readonly behavior: 'NoSwap' | 'LimitedSwap';
	/** Of the machine's control groups. */
	readonly version: 1 | 2;
	readonly capacityBytes: number;
}

export interface SandboxRuntime {
	readonly id: string;
	readonly attempt: number;
	readonly ready: boolean;
	readonly createdAt: number;
	/** Empty for the host network. */
	readonly ips: readonly string[];
	readonly hostNetwork: boolean;
	/** Empty, as when absent, for the default one. */
	readonly runtimeHandler?: string;
}

export interface PodRuntime {
	readonly uid: string;
	readonly name: string;
	readonly namespace: string;
	/** Newest first. */
	readonly sandboxes: readonly SandboxRuntime[];
	/** Newest first. */
	readonly containers: readonly ContainerRuntime[];
}

/** "Look again at this pod." */
export type { RuntimeEvent };

export interface ExecResult {
	readonly exitCode: number;
	readonly stdout: Uint8Array;
	readonly stderr: Uint8Array;
}

export interface ImageAuth {
	readonly username?: string;
	readonly password?: string;
	readonly auth?: string;
	readonly serverAddress?: string;
	readonly identityToken?: string;
	readonly registryToken?: string;
}

export interface ImageInfo {
	readonly id: string;
	readonly tags: readonly string[];
	readonly digests: readonly string[];
	readonly sizeBytes: number;
	readonly uid: number | undefined;
	readonly username: string;
	readonly pinned: boolean;
}

export interface RuntimeHandler {
	/** Empty for the default one. */
	readonly name: string;
	readonly recursiveReadOnlyMounts: boolean;
	readonly userNamespaces: boolean;
}

export interface RuntimeStatus {
	readonly runtimeReady: boolean;
	readonly networkReady: boolean;
	/** Why not, as the node's condition says it. */
	readonly message: string;
	readonly name: string;
	readonly version: string;
	readonly handlers: readonly RuntimeHandler[];
	readonly supplementalGroupsPolicy: boolean;
}

/** What a sandbox needs beyond the Pod. */
export interface SandboxOptions {
	readonly attempt: number;
	readonly logDirectory: string;
	readonly hostname: string;
	readonly dns: { readonly servers: readonly string[]; readonly searches: readonly string[]; readonly options: readonly string[] };
	readonly cgroupParent: string;
	/** When the agent first heard of the pod, ms since the epoch; not told when absent. */
	readonly seenAt?: number;
	readonly runtimeHandler: string;
	/** Ids of the pod's own; the machine's when undefined. */
	readonly users?: IdRange | undefined;
}

export interface Mount {
	readonly containerPath: string;
	readonly hostPath: string;
	readonly readOnly: boolean;
	readonly recursiveReadOnly?: boolean;
	readonly propagation?: 'None' | 'HostToContainer' | 'Bidirectional';
	/** An image's files, or what is at this path in them, in the place of a host path. */
	readonly image?: { readonly id: string; readonly subPath: string };
}

export interface Device {
	readonly containerPath: string;
	readonly hostPath: string;
	readonly readOnly: boolean;
	/** As control groups spell them, "rwm"; what readOnly says when absent. */
	readonly permissions?: string;
}

/** Everything resolved that a container needs beyond its spec. */
export interface ContainerOptions {
	readonly attempt: number;
	/** The image id from `image()` or `pullImage()`. */
	readonly imageId: string;
	readonly imageUser?: Pick<ImageInfo, 'uid' | 'username'>;
	readonly env: readonly { readonly name: string; readonly value: string }[];
	readonly command: readonly string[];
	readonly args: readonly string[];
	readonly mounts: readonly Mount[];
	readonly devices?: readonly Device[];
	readonly logPath: string;
	readonly annotations: Readonly<Record<string, string>>;
	readonly sandbox: SandboxOptions;
	/** The container whose process namespace an ephemeral one joins. */
	readonly targetId?: string;
	/** Upstream's defaults when absent. */
	readonly rules?: ResourceRules;
	/** The processors and the memory of nodes that it is kept to, as the kernel lists them; any when absent. */
	readonly placement?: ContainerPlacement;
	/** Fully qualified names of the Container Device Interface. */
	readonly cdiDevices?: readonly string[];
}

export interface ContainerPlacement {
	readonly cpus: string;
	readonly memoryNodes: string;
}

/** Figures that the runtime does not know are undefined. */
export interface Usage {
	/** When it was measured, ms since the epoch. */
	readonly at: number;
	readonly cpuNanos: number | undefined;
	readonly memoryBytes: number | undefined;
	readonly workingSetBytes: number | undefined;
	readonly rssBytes: number | undefined;
	readonly availableBytes: number | undefined;
	readonly pageFaults: number | undefined;
	readonly majorPageFaults: number | undefined;
	readonly swapBytes: number | undefined;
}

export interface ContainerUsage extends Usage {
	readonly id: string;
	readonly name: string;
	readonly writableLayerBytes: number | undefined;
	readonly writableLayerInodes?: number | undefined;
	/** Beside what it uses; undefined where the runtime does not say. */
	readonly swapAvailableBytes?: number | undefined;
}

export interface NetworkUsage {
	readonly name: string;
	readonly rxBytes: number;
	readonly rxErrors: number;
	readonly txBytes: number;
	readonly txErrors: number;
}

export interface PodUsage extends Usage {
	readonly uid: string;
	readonly name: string;
	readonly namespace: string;
	readonly processes: number | undefined;
	/** The first is the default one. */
	readonly interfaces: readonly NetworkUsage[];
	readonly containers: readonly ContainerUsage[];
}

/** Whether what a pod has runs, and no more. */
export interface PodStates extends Pick<PodRuntime, 'uid' | 'name' | 'namespace'> {
	readonly sandboxes: readonly Pick<SandboxRuntime, 'id' | 'ready'>[];
	readonly containers: readonly Pick<ContainerRuntime, 'id' | 'state'>[];
}

export interface Runtime {
	status(signal: AbortSignal): Promise<RuntimeStatus>;
	pods(signal: AbortSignal): Promise<readonly PodRuntime[]>;
	/** Of all pods, in no order: for a fraction of what `pods` costs. */
	states(signal: AbortSignal): Promise<readonly PodStates[]>;
	/** One pod; undefined when the runtime knows nothing of it. */
	pod(uid: string, signal: AbortSignal): Promise<PodRuntime | undefined>;
	/** One sandbox, for a fraction of what a look at its pod costs. Throws NotFound. */
	sandbox(id: string, signal: AbortSignal): Promise<SandboxRuntime>;
	/** @param opened told once the stream is asked for */
	events(signal: AbortSignal, opened?: () => void): AsyncIterable<RuntimeEvent>;
	runSandbox(pod: Pod, options: SandboxOptions, signal: AbortSignal): Promise<string>;
	/** Creates; `startContainer` starts. The name may be of an init or ephemeral container. */
	createContainer(sandboxId: string, pod: Pod, name: string, options: ContainerOptions, signal: AbortSignal): Promise<string>;
	startContainer(id: string, signal: AbortSignal): Promise<void>;
	stopContainer(id: string, graceMs: number, signal: AbortSignal): Promise<void>;
	removeContainer(id: string, signal: AbortSignal): Promise<void>;
	/** Gives a container that may run what the pod's spec now says of its cpu and memory. */
	updateResources(id: string, pod: Pod, name: string, rules: ResourceRules, signal: AbortSignal): Promise<void>;
	/** Keeps a container that runs to these processors, as the kernel lists them. */
	keepToCpus(id: string, cpus: string, signal: AbortSignal): Promise<void>;
	/** Stops and removes every sandbox and container of the pod; already gone is success. */
	stopSandbox(id: string, signal: AbortSignal): Promise<void>;
	removeSandbox(id: string, signal: AbortSignal): Promise<void>;
	image(image: string, signal: AbortSignal): Promise<ImageInfo | undefined>;
	images(signal: AbortSignal): Promise<readonly ImageInfo[]>;
	/** Returns the image id. */
	pullImage(image: string, auth: readonly ImageAuth[], signal: AbortSignal): Promise<string>;
	removeImage(id: string, signal: AbortSignal): Promise<void>;
	/** `timeoutMs` 0 is none; a time-out rejects with DeadlineExceeded. */
	exec(id: string, command: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<ExecResult>;
	/** URLs of the runtime's streaming server, to which the kubelet server connects the client. */
	execUrl(
		id: string,
		request: {
			readonly command: readonly string[];
			readonly tty: boolean;
			readonly stdin: boolean;
			readonly stdout: boolean;
			readonly stderr: boolean;
		},
		signal: AbortSignal,
	): Promise<string>;
	attachUrl(
		id: string,
		request: { readonly tty: boolean; readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean },
		signal: AbortSignal,
	): Promise<string>;
	portForwardUrl(sandboxId: string, ports: readonly number[], signal: AbortSignal): Promise<string>;
	/** Who makes control groups; undefined where the runtime does not say. */
	cgroupDriver(signal: AbortSignal): Promise<'cgroupfs' | 'systemd' | undefined>;
	reopenLog(id: string, signal: AbortSignal): Promise<void>;
	/** Writes the running container's state into a new file. @param timeoutSeconds 0: as long as the runtime takes by default */
	checkpoint(id: string, file: string, timeoutSeconds: number, signal: AbortSignal): Promise<void>;
	/** A folder of the file system that holds the images; undefined where that is not known. */
	imageFolder(signal: AbortSignal): Promise<string | undefined>;
	/** What pods use that run: all of them, or the one that is named. */
	usage(signal: AbortSignal, podUid?: string): Promise<readonly PodUsage[]>;
}

/** A connection of bytes, both ways. */
export type Connection = Duplex;
