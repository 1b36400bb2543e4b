/** What a shim is told at start. */

export interface ShimOptions {
	/** The unix socket on which CRI is served. */
	readonly socketPath: string;
	/** Docker Engine: a socket path, unix:// or tcp:// address. */
	readonly dockerHost: string;
	/** Where checkpoints, resolv.conf files and the helper are kept. */
	readonly dataDir: string;
	/** Name of the cluster: container names, bridge and chains carry it, so that several live side by side on one engine. */
	readonly clusterName: string;
	/** The pods' network in CIDR form; chosen free of the host's routes where none is given. UpdateRuntimeConfig may set it before the first pod. */
	readonly podSubnet?: string | undefined;
	/** Parent cgroup of sandboxes that name none. */
	readonly cgroupParent?: string | undefined;
	/** Where the streaming server (exec, attach, port-forward) listens. 127.0.0.1 and a free port unless told. */
	readonly streamingAddress?: { readonly host: string; readonly port: number } | undefined;
	/** Reported by Version. */
	readonly version?: string | undefined;
}
