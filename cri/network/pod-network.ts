/** Where pods get their addresses: one interface, so that the built-in bridge and CNI plug-ins are interchangeable. */
import type { PortMapping } from '../proto.ts';
import type { PodAddress } from '../state/records.ts';

export interface PodNetwork {
	/** Makes bridge and rules, drops what earlier runs leaked; `inUse` are the addresses of sandboxes that still run. */
	start(inUse: readonly PodPorts[]): Promise<void>;
	/** Reserves an address; nothing is made yet. */
	reserve(): PodAddress;
	/** Connects the network namespace of the process and opens the host ports. */
	attach(pid: number, address: PodAddress, ports: readonly PortMapping[]): Promise<void>;
	/** Disconnects and frees the address; already done is success. */
	detach(address: PodAddress): Promise<void>;
	/** Why pods cannot be connected, or undefined. */
	problem(): string | undefined;
	/** Address of the host on the pods' network. */
	readonly gateway: string;
	readonly subnet: string;
	/** Ends helper processes; pods stay connected. */
	stop(): Promise<void>;
}

export interface PodPorts {
	readonly address: PodAddress;
	readonly ports: readonly PortMapping[];
}
