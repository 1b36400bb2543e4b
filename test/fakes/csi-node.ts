/** A CSI driver's node side that notes every call: volumes are folders bound to where they are published, or made for a pod's own. */
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, type ErrorCode } from '../../base/errors.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { bindMount, unmount } from '../../host/mounts.ts';
import { registerPlugin } from '../../csi/registrar.ts';
import { NodeService, NodeServiceCapability_RPC_Type as Type, type NodeGetVolumeStatsResponse } from '../../wire/gen/csi.ts';
import { serveGrpc, service } from '../../wire/grpc/server.ts';

export interface FakeCsiOptions {
	readonly name: string;
	/** Of the driver's own files and sockets. */
	readonly dir: string;
	/** Where it registers, if anywhere. */
	readonly registrationDir?: string;
	readonly nodeId?: string;
	readonly topology?: Readonly<Record<string, string>>;
	readonly maxVolumes?: number;
	readonly capabilities?: readonly (keyof typeof Type)[];
	/** Whether it mounts anything, which needs root. */
	readonly mounts?: boolean;
}

export interface FakeCsiNode extends AsyncDisposable {
	readonly socket: string;
	/** "nodePublishVolume" and its request, in order. */
	readonly calls: { readonly method: string; readonly request: Record<string, unknown> }[];
	methods(): readonly string[];
	/** The next calls of the method fail so. */
	fail(method: string, code: ErrorCode, message: string): void;
	works(method: string): void;
	stats: Partial<NodeGetVolumeStatsResponse>;
}

export async function fakeCsiNode(options: FakeCsiOptions): Promise<FakeCsiNode> {
	const {
		name,
		dir,
		nodeId = 'fake-node',
		topology = {},
		maxVolumes = 0,
		capabilities = ['STAGE_UNSTAGE_VOLUME'],
		mounts = false,
	} = options;
	await mkdir(join(dir, 'volumes'), { recursive: true });
	const socket = join(dir, 'csi.sock');
	const faults = new Map<string, AppError>();
	const calls: FakeCsiNode['calls'] = [];
	const noted = (method: string, request: object): void => {
		calls.push({ method, request: request as Record<string, unknown> });
		const fault = faults.get(method);
		if (fault !== undefined) throw fault;
	};
	const driver: FakeCsiNode = {
		...{ socket, calls, stats: {} },
		methods: () => calls.map((c) => c.method),
		fail: (method, code, message) => void faults.set(method, new AppError(code, message)),
		works: (method) => void faults.delete(method),
		async [Symbol.asyncDispose]() {
			await registration?.stop();
			await server.stop();
		},
	};
	const node = service(NodeService, {
		nodeGetInfo: async () => ({ nodeId, maxVolumesPerNode: BigInt(maxVolumes), accessibleTopology: { segments: { ...topology } } }),
		nodeGetCapabilities: async () => ({
			capabilities: capabilities.map((c) => ({ type: { $case: 'rpc' as const, value: { type: Type[c] } } })),
		}),
		nodeStageVolume: async (request) => {
			noted('nodeStageVolume', request);
			return {};
		},
		nodeUnstageVolume: async (request) => {
			noted('nodeUnstageVolume', request);
			return {};
		},
		nodePublishVolume: async (request) => {
			noted('nodePublishVolume', request);
			const volume = join(dir, 'volumes', request.volumeId);
			await mkdir(volume, { recursive: true });
			await mkdir(request.targetPath, { recursive: true });
			if (mounts) await bindMount(volume, request.targetPath, { readOnly: request.readonly });
			return {};
		},
		nodeUnpublishVolume: async (request) => {
			noted('nodeUnpublishVolume', request);
			if (mounts) await unmount(request.targetPath);
			await rmdir(request.targetPath).catch(() => {});
			if (request.volumeId.startsWith('csi-')) await rm(join(dir, 'volumes', request.volumeId), { recursive: true, force: true });
			return {};
		},
		nodeGetVolumeStats: async (request) => {
			noted('nodeGetVolumeStats', request);
			return { usage: [], volumeCondition: undefined, ...driver.stats };
		},
		nodeExpandVolume: async (request) => {
			noted('nodeExpandVolume', request);
			return { capacityBytes: 0n };
		},
		nodeGetVolumeHealth: () => Promise.reject(new AppError('Unimplemented', 'no health')),
		nodeGetStorageHealth: () => Promise.reject(new AppError('Unimplemented', 'no health')),
	});
	const server = await serveGrpc([node], { address: socket, clock: realClock, log: noLog });
	const { registrationDir } = options;
	const registration =
		registrationDir === undefined
			? undefined
			: await registerPlugin({ dir: registrationDir, driverName: name, endpoint: socket, clock: realClock, log: noLog, onRefused() {} });
	return driver;
}
