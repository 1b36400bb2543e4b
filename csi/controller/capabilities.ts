/** What the Controller service can do: ControllerGetCapabilities. */
import type { Handler } from '../context.ts';
import {
	ControllerServiceCapability_RPC_Type as Type,
	type ControllerGetCapabilitiesRequest,
	type ControllerGetCapabilitiesResponse,
} from '../proto.ts';

const ALWAYS = [
	Type.CREATE_DELETE_VOLUME,
	Type.PUBLISH_UNPUBLISH_VOLUME,
	Type.LIST_VOLUMES,
	Type.GET_CAPACITY,
	Type.CREATE_DELETE_SNAPSHOT,
	Type.LIST_SNAPSHOTS,
	Type.CLONE_VOLUME,
	Type.PUBLISH_READONLY,
	Type.EXPAND_VOLUME,
	Type.LIST_VOLUMES_PUBLISHED_NODES,
	Type.VOLUME_CONDITION,
	Type.GET_VOLUME,
	Type.SINGLE_NODE_MULTI_WRITER,
	Type.MODIFY_VOLUME,
	Type.GET_SNAPSHOT,
] as const;

/** Of CSI 1.13, which took VOLUME_CONDITION away. */
const SINCE_113 = [Type.GET_VOLUME_HEALTH, Type.LIST_VOLUME_HEALTH] as const;

export const controllerCapabilities: Handler<ControllerGetCapabilitiesRequest, ControllerGetCapabilitiesResponse> = async ({
	options,
}) => ({
	capabilities: [...ALWAYS, ...(options.csi113 ? SINCE_113 : [])].map((type) => ({ type: { $case: 'rpc', value: { type } } })),
});
