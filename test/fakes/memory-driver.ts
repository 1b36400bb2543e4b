/** A CSI driver in memory as its roles see it: keeps volumes, snapshots and publications, answers as the specification says, and fails when told. */
import type { ErrorCode } from '../../base/errors.ts';
import type { DriverLink } from '../../csi/roles/driver-link.ts';
import {
	ControllerServiceCapability_RPC_Type as Rpc,
	GroupControllerServiceCapability_RPC_Type as GroupRpc,
	PluginCapability_Service_Type as Service,
	PluginCapability_VolumeExpansion_Type as Expansion,
	type CreateVolumeRequest,
	type Snapshot,
	type Topology,
	type Volume,
} from '../../csi/proto.ts';
import { RpcError } from '../../wire/grpc/status.ts';

export const DRIVER = 'mem.csi.test';
export const POOL_KEY = `topology.${DRIVER}/pool`;

interface Options {
	readonly without?: readonly Rpc[];
	readonly topology?: boolean;
	readonly controllerService?: boolean;
}

interface Kept {
	readonly request: CreateVolumeRequest;
	bytes: bigint;
	mutable: Record<string, string>;
}

export class MemoryDriver {
	readonly volumes = new Map<string, Kept>();
	readonly snapshots = new Map<string, Snapshot>();
	/** "volume@node". */
	readonly published = new Set<string>();
	/** "CreateVolume pvc-1", in order. */
	readonly calls: string[] = [];
	readonly requests: { readonly rpc: string; readonly request: unknown }[] = [];
	/** RPCs that fail until deleted from here. */
	readonly failing = new Map<string, ErrorCode>();
	available = 1n << 40n;
	nodeExpansion = true;
	/** Snapshots become ready only when this is true. */
	ready = true;
	readonly #options: Options;
	readonly #now: () => number;

	constructor(now: () => number, options: Options = {}) {
		this.#now = now;
		this.#options = options;
	}

	#call(rpc: string, subject: string, request: unknown): void {
		this.calls.push(`${rpc} ${subject}`);
		this.requests.push({ rpc, request });
		const code = this.failing.get(rpc);
		if (code !== undefined) throw new RpcError(code, `${rpc} fails`);
	}

	#message(id: string, { request, bytes }: Kept): Volume {
		const topology: Topology[] = this.#options.topology === true ? [{ segments: { [POOL_KEY]: 'a' } }] : [];
		return {
			...{ volumeId: id, capacityBytes: bytes, volumeContext: { made: 'here' } },
			...{ contentSource: request.volumeContentSource, accessibleTopology: topology },
		};
	}

	link(): DriverLink {
		const { without = [], topology = false, controllerService = true } = this.#options;
		const services = [...(controllerService ? [Service.CONTROLLER_SERVICE] : []), Service.GROUP_CONTROLLER_SERVICE];
		const rpcs = Object.values(Rpc).filter((rpc) => typeof rpc === 'number' && rpc > 0 && rpc <= 14 && !without.includes(rpc));
		return {
			name: DRIVER,
			services: new Set([...services, ...(topology ? [Service.VOLUME_ACCESSIBILITY_CONSTRAINTS] : [])]),
			expansion: new Set([Expansion.ONLINE]),
			controllerRpcs: new Set(rpcs),
			groupRpcs: new Set([GroupRpc.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT]),
			identity: { probe: async () => ({ ready: true }) } as unknown as DriverLink['identity'],
			controller: this.#controller() as unknown as DriverLink['controller'],
			group: this.#group() as unknown as DriverLink['group'],
			timeoutMs: 1000,
			[Symbol.dispose]: () => {},
		};
	}

	#controller(): Partial<DriverLink['controller']> {
		return {
			createVolume: async (request) => {
				this.#call('CreateVolume', request.name, request);
				const id = `vol-${request.name}`;
				const kept = this.volumes.get(id) ?? {
					request,
					bytes: request.capacityRange?.requiredBytes ?? 0n,
					mutable: request.mutableParameters,
				};
				this.volumes.set(id, kept);
				return { volume: this.#message(id, kept) };
			},
			deleteVolume: async ({ volumeId, ...request }) => {
				this.#call('DeleteVolume', volumeId, request);
				this.volumes.delete(volumeId);
				return {};
			},
			controllerPublishVolume: async (request) => {
				this.#call('ControllerPublishVolume', `${request.volumeId}@${request.nodeId}`, request);
				this.published.add(`${request.volumeId}@${request.nodeId}`);
				return { publishContext: { device: 'sda' } };
			},
			controllerUnpublishVolume: async (request) => {
				this.#call('ControllerUnpublishVolume', `${request.volumeId}@${request.nodeId}`, request);
				this.published.delete(`${request.volumeId}@${request.nodeId}`);
				return {};
			},
			listVolumes: async () => ({
				nextToken: '',
				entries: [...this.volumes].map(([id, kept]) => ({
					volume: this.#message(id, kept),
					status: {
						publishedNodeIds: [...this.published].filter((p) => p.startsWith(`${id}@`)).map((p) => p.slice(id.length + 1)),
						volumeCondition: { abnormal: this.failing.has(`health ${id}`), message: 'it creaks' },
					},
				})),
			}),
			getCapacity: async (request) => {
				this.#call('GetCapacity', JSON.stringify(request.accessibleTopology?.segments ?? {}), request);
				return { availableCapacity: this.available, maximumVolumeSize: this.available, minimumVolumeSize: undefined };
			},
			controllerExpandVolume: async (request) => {
				this.#call('ControllerExpandVolume', `${request.volumeId} ${request.capacityRange?.requiredBytes}`, request);
				const kept = this.volumes.get(request.volumeId);
				if (kept !== undefined) kept.bytes = request.capacityRange?.requiredBytes ?? kept.bytes;
				return { capacityBytes: request.capacityRange?.requiredBytes ?? 0n, nodeExpansionRequired: this.nodeExpansion };
			},
			controllerModifyVolume: async (request) => {
				this.#call('ControllerModifyVolume', request.volumeId, request);
				const kept = this.volumes.get(request.volumeId);
				if (kept !== undefined) kept.mutable = request.mutableParameters;
				return {};
			},
			createSnapshot: async (request) => {
				this.#call('CreateSnapshot', request.name, request);
				return { snapshot: this.#snapshot(`snap-${request.name}`, request.sourceVolumeId, '') };
			},
			deleteSnapshot: async ({ snapshotId, ...request }) => {
				this.#call('DeleteSnapshot', snapshotId, request);
				this.snapshots.delete(snapshotId);
				return {};
			},
			listSnapshots: async (request) => {
				const found = this.snapshots.get(request.snapshotId);
				return { nextToken: '', entries: found === undefined ? [] : [{ snapshot: found }] };
			},
		};
	}

	#snapshot(snapshotId: string, sourceVolumeId: string, groupSnapshotId: string): Snapshot {
		const snapshot: Snapshot = {
			...{ snapshotId, sourceVolumeId, groupSnapshotId, accessibleTopology: [], readyToUse: this.ready },
			sizeBytes: this.volumes.get(sourceVolumeId)?.bytes ?? 1n << 30n,
			creationTime: this.snapshots.get(snapshotId)?.creationTime ?? new Date(this.#now()),
		};
		this.snapshots.set(snapshotId, snapshot);
		return snapshot;
	}

	#group(): Partial<DriverLink['group']> {
		const of = (groupSnapshotId: string, sources: readonly string[]) => ({
			...{ groupSnapshotId, readyToUse: this.ready, creationTime: new Date(this.#now()) },
			snapshots: sources.map((source) => this.#snapshot(`${groupSnapshotId}-${source}`, source, groupSnapshotId)),
		});
		return {
			createVolumeGroupSnapshot: async (request) => {
				this.#call('CreateVolumeGroupSnapshot', request.name, request);
				return { groupSnapshot: of(`group-${request.name}`, request.sourceVolumeIds) };
			},
			deleteVolumeGroupSnapshot: async (request) => {
				this.#call('DeleteVolumeGroupSnapshot', request.groupSnapshotId, request);
				for (const id of request.snapshotIds) this.snapshots.delete(id);
				return {};
			},
			getVolumeGroupSnapshot: async ({ groupSnapshotId, snapshotIds }) => {
				this.#call('GetVolumeGroupSnapshot', groupSnapshotId, {});
				const snapshots = snapshotIds.map((id) => this.snapshots.get(id)).filter((s) => s !== undefined);
				return { groupSnapshot: { groupSnapshotId, readyToUse: this.ready, creationTime: new Date(this.#now()), snapshots } };
			},
		};
	}
}
