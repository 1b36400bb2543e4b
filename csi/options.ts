/** What the driver is told. */
import type { BackendKind } from './backends/kinds.ts';

export type Role = 'all' | 'controller' | 'node';

export interface CsiOptions {
	/** A DNS-like name: "local.csi.kubeling.dev". */
	readonly driverName: string;
	/** Of the program, for GetPluginInfo. */
	readonly version: string;
	readonly role: Role;
	/** Where CSI is served: a path, or "unix:///run/x.sock". */
	readonly socketPath: string;
	/** The pool: volumes and snapshots, durable. */
	readonly dataDir: string;
	/** What is mounted now. Every process on one pool of one host has the same. */
	readonly runDir: string;
	readonly nodeId: string;
	/** Of a node; 0: as many as there are. */
	readonly maxVolumesPerNode: number;
	/** Staging and target paths lie below one of these, after links are resolved; empty: anywhere. */
	readonly targetRoots: readonly string[];
	/** The back ends to use of those that the pool has, the default first; all of them unless told. */
	readonly backends?: readonly BackendKind[] | undefined;
	/** Capabilities of CSI 1.13 too; callers that know 1.12 only may refuse them. */
	readonly csi113?: boolean | undefined;
	/** Where the kubelet looks for registration sockets; undefined: nobody is told of the driver. */
	readonly registrationDir?: string | undefined;
}
