/** What a shim is told at start. */
import type { NetworkMode } from './network/networks.ts';

export interface ShimOptions {
	/** The unix socket on which CRI is served. */
	readonly socketPath: string;
	/** Docker Engine: a socket path, unix:// or tcp:// address. */
	readonly dockerHost: string;
	/** Where checkpoints, resolv.conf files and the helper are kept. */
	readonly dataDir: string;
	/** Name of the cluster: container names, bridge and chains carry it, so that several live side by side on one engine. */
	readonly clusterName: string;
	/**
	 * The pods' network in CIDR form, or two divided by a comma (IPv4 and IPv6). Where none is given, one is chosen free of the host's routes, and
	 * UpdateRuntimeConfig may change it.
	 */
	readonly podSubnet?: string | undefined;
	/** An IPv6 network beside the chosen IPv4 one. */
	readonly dualStack?: boolean | undefined;
	/** Where CNI configurations are looked for, and the plug-ins' programs; what every runtime has unless told. */
	readonly cniConfDir?: string | undefined;
	readonly cniBinDirs?: readonly string[] | undefined;
	/** Who connects pods; "auto" (as in network/networks.ts) unless told. */
	readonly network?: NetworkMode | undefined;
	/** Parent cgroup of sandboxes that name none. */
	readonly cgroupParent?: string | undefined;
	/** Where the streaming server (exec, attach, port-forward) listens. 127.0.0.1 and a free port unless told. */
	readonly streamingAddress?: { readonly host: string; readonly port: number } | undefined;
	/** The streaming server over TLS: PEM files. Plain HTTP unless told. */
	readonly streamingTls?: { readonly certFile: string; readonly keyFile: string } | undefined;
	/** Where /healthz and /metrics are served, over plain HTTP and to anybody; nowhere unless told. */
	readonly metricsAddress?: { readonly host: string; readonly port: number } | undefined;
	/** The engine's own, bounded copy of container logs: "json-file" unless told, or "local"; any driver that the engine can read back. */
	readonly engineLogDriver?: string | undefined;
	/** How long an engine call may take to begin its answer; two minutes unless told. Longer waits that a caller asked for are added. */
	readonly engineTimeoutMs?: number | undefined;
	/** How long nothing of a pull may change before it is given up; five minutes unless told. */
	readonly imagePullProgressMs?: number | undefined;
	/** The kernel's log, which tells of containers that ran out of memory where the engine does not; /dev/kmsg unless told. */
	readonly kernelLog?: string | undefined;
	/** Reported by Version. */
	readonly version?: string | undefined;
}
