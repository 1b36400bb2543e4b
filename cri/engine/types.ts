/** The parts of Engine API objects that the shim reads and writes (API 1.41 and later). */

export interface EngineMount {
	readonly Type: 'bind' | 'image' | 'tmpfs';
	readonly Source?: string;
	readonly Target: string;
	readonly ReadOnly?: boolean;
	readonly BindOptions?: {
		readonly Propagation?: 'rprivate' | 'rslave' | 'rshared';
		readonly CreateMountpoint?: boolean;
		readonly ReadOnlyForceRecursive?: boolean;
		readonly ReadOnlyNonRecursive?: boolean;
	};
	/** API 1.48. */
	readonly ImageOptions?: { readonly Subpath?: string };
}

export interface HostConfig {
	readonly NetworkMode?: string;
	readonly IpcMode?: string;
	readonly PidMode?: string;
	readonly UTSMode?: string;
	readonly UsernsMode?: string;
	readonly CgroupnsMode?: string;
	readonly CgroupParent?: string;
	/** API 1.43. */
	readonly Annotations?: Readonly<Record<string, string>>;
	readonly Runtime?: string;
	readonly Privileged?: boolean;
	readonly ReadonlyRootfs?: boolean;
	readonly SecurityOpt?: readonly string[];
	readonly CapAdd?: readonly string[];
	readonly CapDrop?: readonly string[];
	readonly GroupAdd?: readonly string[];
	readonly MaskedPaths?: readonly string[] | null;
	readonly ReadonlyPaths?: readonly string[] | null;
	readonly Sysctls?: Readonly<Record<string, string>>;
	readonly Mounts?: readonly EngineMount[];
	/** `source:target:options`. Unlike Mounts it makes what is missing on the host, as CRI runtimes do. */
	readonly Binds?: readonly string[];
	readonly Devices?: readonly { readonly PathOnHost: string; readonly PathInContainer: string; readonly CgroupPermissions: string }[];
	/** API 1.44: CDI devices by their names. */
	readonly DeviceRequests?: readonly { readonly Driver: string; readonly DeviceIDs: readonly string[] }[];
	readonly DeviceCgroupRules?: readonly string[];
	readonly OomScoreAdj?: number;
	readonly CpuShares?: number;
	readonly CpuPeriod?: number;
	readonly CpuQuota?: number;
	readonly CpusetCpus?: string;
	readonly CpusetMems?: string;
	readonly Memory?: number;
	readonly MemorySwap?: number;
	readonly LogConfig?: { readonly Type: string; readonly Config?: Readonly<Record<string, string>> };
	readonly RestartPolicy?: { readonly Name: string };
	readonly AutoRemove?: boolean;
	readonly ShmSize?: number;
	readonly PortBindings?: Readonly<Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[]>>;
}

export interface CreateBody {
	readonly Image: string;
	readonly Hostname?: string;
	readonly User?: string;
	readonly Env?: readonly string[];
	readonly Entrypoint?: readonly string[];
	readonly Cmd?: readonly string[];
	readonly WorkingDir?: string;
	readonly Labels?: Readonly<Record<string, string>>;
	readonly Tty?: boolean;
	readonly OpenStdin?: boolean;
	readonly StdinOnce?: boolean;
	readonly AttachStdin?: boolean;
	readonly NetworkDisabled?: boolean;
	readonly ExposedPorts?: Readonly<Record<string, object>>;
	readonly StopSignal?: string;
	readonly Healthcheck?: { readonly Test: readonly string[] };
	readonly HostConfig: HostConfig;
}

export interface ContainerState {
	readonly Status: 'created' | 'running' | 'paused' | 'restarting' | 'removing' | 'exited' | 'dead';
	readonly Running: boolean;
	readonly OOMKilled: boolean;
	readonly Pid: number;
	readonly ExitCode: number;
	readonly Error: string;
	readonly StartedAt: string;
	readonly FinishedAt: string;
}

export interface ContainerInspect {
	readonly Id: string;
	readonly Name: string;
	readonly Created: string;
	readonly Image: string;
	readonly LogPath: string;
	readonly State: ContainerState;
	readonly HostConfig: HostConfig;
	readonly Config: { readonly User: string; readonly Tty: boolean; readonly StopSignal?: string; readonly Image: string };
	readonly GraphDriver?: { readonly Name: string; readonly Data: Readonly<Record<string, string>> | null };
	readonly NetworkSettings?: {
		readonly Networks?: Readonly<Record<string, { readonly IPAddress?: string; readonly GlobalIPv6Address?: string } | null>> | null;
	};
}

export interface ContainerSummary {
	readonly Id: string;
	readonly Names: readonly string[];
	readonly State: string;
}

export interface ImageInspect {
	readonly Descriptor?: ImageDescriptor | null;
	readonly Id: string;
	readonly RepoTags: readonly string[] | null;
	readonly RepoDigests: readonly string[] | null;
	readonly Size: number;
	readonly GraphDriver?: { readonly Name: string; readonly Data: Readonly<Record<string, string>> | null } | null;
	readonly Config: {
		readonly User?: string;
		readonly Entrypoint?: readonly string[] | null;
		readonly Cmd?: readonly string[] | null;
		readonly StopSignal?: string;
	} | null;
}

/** The image's manifest as engines with containerd's store tell it (API 1.48). */
export interface ImageDescriptor {
	readonly annotations?: Readonly<Record<string, string>> | null;
}

export interface ImageSummary {
	readonly Descriptor?: ImageDescriptor | null;
	readonly Id: string;
	readonly RepoTags: readonly string[] | null;
	readonly RepoDigests: readonly string[] | null;
	readonly Size: number;
}

export interface EngineEvent {
	readonly Type: string;
	readonly Action: string;
	readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
	readonly time: number;
	readonly timeNano: number;
}
