/** NodeGetInfo and NodeGetCapabilities. */
import type { Handler } from '../context.ts';
import {
	NodeServiceCapability_RPC_Type as Type,
	type NodeGetCapabilitiesRequest,
	type NodeGetCapabilitiesResponse,
	type NodeGetInfoRequest,
	type NodeGetInfoResponse,
} from '../proto.ts';
import { poolTopology } from '../topology.ts';

export const nodeInfo: Handler<NodeGetInfoRequest, NodeGetInfoResponse> = async ({ options, poolId }) => ({
	nodeId: options.nodeId,
	maxVolumesPerNode: BigInt(options.maxVolumesPerNode),
	accessibleTopology: poolTopology(options.driverName, poolId),
});

const ALWAYS = [
	Type.STAGE_UNSTAGE_VOLUME,
	Type.GET_VOLUME_STATS,
	Type.EXPAND_VOLUME,
	Type.VOLUME_CONDITION,
	Type.SINGLE_NODE_MULTI_WRITER,
	Type.VOLUME_MOUNT_GROUP,
] as const;

/** Of CSI 1.13. */
const SINCE_113 = [Type.GET_VOLUME_HEALTH, Type.GET_STORAGE_HEALTH] as const;

export const nodeCapabilities: Handler<NodeGetCapabilitiesRequest, NodeGetCapabilitiesResponse> = async ({ options }) => ({
	capabilities: [...ALWAYS, ...(options.csi113 ? SINCE_113 : [])].map((type) => ({ type: { $case: 'rpc', value: { type } } })),
});
