/** What the shim itself knows of a sandbox or container: what it was asked for, not what the engine says of it now. */
import type { ContainerConfig, PodSandboxConfig, PodSandboxMetadata } from '../proto.ts';

/** A pod's place on the pod network. */
export interface PodAddress {
	readonly ip: string;
	readonly mac: string;
	/** The host's end of the veth pair. */
	readonly veth: string;
}

export interface SandboxRecord {
	/** The engine's name: identity across restarts. */
	readonly name: string;
	readonly id: string;
	readonly config: PodSandboxConfig;
	readonly metadata: PodSandboxMetadata;
	readonly runtimeHandler: string;
	readonly createdAtMs: number;
	/** None on the host network. */
	readonly address: PodAddress | undefined;
}

export interface ContainerRecord {
	readonly name: string;
	readonly id: string;
	readonly sandboxId: string;
	readonly config: ContainerConfig;
	readonly imageId: string;
	/** A repo digest of the image where it has one, else its id. */
	readonly imageRef: string;
	/** Absolute; empty where no log is kept. */
	readonly logPath: string;
	readonly createdAtMs: number;
}
