/** Where pods get their addresses: one interface, so that the built-in bridge, CNI plug-ins and the engine's networks are interchangeable. */
import type { PodSandboxConfig } from '../proto.ts';
import type { PodAddress } from '../state/records.ts';

/** A pod that is about to run: the engine's name of its sandbox, and what was asked for it. */
export interface NewPod {
	readonly name: string;
	readonly config: PodSandboxConfig;
}

/** A pod whose sandbox the engine made. */
export interface MadePod extends NewPod {
	readonly id: string;
}

/** A pod of an earlier run. */
export interface KnownPod extends MadePod {
	readonly address: PodAddress;
	/** Of the process that holds its network namespace; undefined where that is over. */
	readonly pid: number | undefined;
}

/** Where one process of a pod is, for who connects it. */
export interface Namespace {
	readonly pid: number;
	/** Addresses that the engine gave, where it has a network for the pod. */
	readonly engineIps: readonly string[];
}

export interface PodNetwork<A extends PodAddress = PodAddress> {
	/** Makes what pods share and drops what earlier runs leaked. Never throws for the network's sake: `problem` tells. */
	start(pods: readonly KnownPod[]): Promise<void>;
	/** Reserves a place; nothing is made yet. */
	reserve(pod: NewPod): A;
	/** Connects the network namespace and opens the host ports. What it answers is the pod's place from now on. */
	attach(pod: MadePod, namespace: Namespace, address: A): Promise<A>;
	/** Disconnects and gives the addresses back, whether the pod's processes still run or not; already done is success. */
	detach(pod: MadePod, address: A): Promise<void>;
	/** Why pods cannot be connected, or undefined. */
	problem(): Promise<string | undefined>;
	/** Ends helper processes and watches; pods stay connected. */
	stop(): Promise<void>;
}
