/** What the shim itself knows of a sandbox or container: what it was asked for, not what the engine says of it now. */
import type { Identity } from '../convert/user.ts';
import type { ContainerConfig, PodSandboxConfig, PodSandboxMetadata } from '../proto.ts';

/** A pod's place on a pod network, by who connects it. */
export type PodAddress = BridgeAddress | CniAddress | EngineAddress;

export interface BridgeAddress {
	readonly kind: 'bridge';
	/** The primary one first; at most one of each family. */
	readonly ips: readonly string[];
	readonly mac: string;
	/** The host's end of the veth pair. */
	readonly veth: string;
}
/** Addresses that plug-ins gave; none until they did. What they were asked is in their own cache. */
export interface CniAddress {
	readonly kind: 'cni';
	readonly ips: readonly string[];
}
/** Addresses on a network of the engine; none until the sandbox runs. */
export interface EngineAddress {
	readonly kind: 'engine';
	readonly ips: readonly string[];
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
	/** Whom its first process starts as; unknown in records of earlier versions. */
	readonly user?: Identity | undefined;
	/** As an update set it: the engine only knows the one at the start. */
	readonly oomScoreAdj?: number | undefined;
}
