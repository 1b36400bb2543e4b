/** The CSI services: each RPC bound to its handler. */
import type { Handlers } from '../wire/grpc/method.ts';
import type { Context, Handler } from './context.ts';
import { controllerCapabilities } from './controller/capabilities.ts';
import { createVolume } from './controller/create-volume.ts';
import { deleteVolume } from './controller/delete-volume.ts';
import { expandVolume as controllerExpand } from './controller/expand-volume.ts';
import { getCapacity } from './controller/get-capacity.ts';
import { getVolume, listVolumes } from './controller/list-volumes.ts';
import { getVolumeHealth, listVolumeHealth } from './controller/health.ts';
import { modifyVolume } from './controller/modify-volume.ts';
import { publishVolume as controllerPublish, unpublishVolume as controllerUnpublish } from './controller/publish-volume.ts';
import { validateCapabilities } from './controller/validate-capabilities.ts';
import { createGroupSnapshot, deleteGroupSnapshot, getGroupSnapshot, groupCapabilities } from './group/group-handlers.ts';
import { expandVolume as nodeExpand } from './node/expand.ts';
import { storageHealth, volumeHealth } from './node/health.ts';
import { nodeCapabilities, nodeInfo } from './node/info.ts';
import { publishVolume as nodePublish, unpublishVolume as nodeUnpublish } from './node/publish.ts';
import { stageVolume, unstageVolume } from './node/stage.ts';
import { volumeStats } from './node/stats.ts';
import type { ControllerService, GroupControllerService, NodeService, SnapshotMetadataService } from './proto.ts';
import { createSnapshot } from './snapshot/create-snapshot.ts';
import { deleteSnapshot } from './snapshot/delete-snapshot.ts';
import { getSnapshot, listSnapshots } from './snapshot/list-snapshots.ts';
import { metadataAllocated, metadataDelta } from './snapshot/metadata.ts';

type Bound<Q, A> = (request: Q, call: { readonly signal: AbortSignal }) => Promise<A>;

function binder(context: Context): <Q, A>(handler: Handler<Q, A>) => Bound<Q, A> {
	return (handler) =>
		(request, { signal }) =>
			handler(context, request, signal);
}

export function controllerHandlers(context: Context): Handlers<typeof ControllerService> {
	const bind = binder(context);
	return {
		createVolume: bind(createVolume),
		deleteVolume: bind(deleteVolume),
		controllerPublishVolume: bind(controllerPublish),
		controllerUnpublishVolume: bind(controllerUnpublish),
		validateVolumeCapabilities: bind(validateCapabilities),
		listVolumes: bind(listVolumes),
		getCapacity: bind(getCapacity),
		controllerGetCapabilities: bind(controllerCapabilities),
		createSnapshot: bind(createSnapshot),
		deleteSnapshot: bind(deleteSnapshot),
		listSnapshots: bind(listSnapshots),
		getSnapshot: bind(getSnapshot),
		controllerExpandVolume: bind(controllerExpand),
		controllerGetVolume: bind(getVolume),
		controllerModifyVolume: bind(modifyVolume),
		controllerGetVolumeHealth: bind(getVolumeHealth),
		controllerListVolumeHealth: bind(listVolumeHealth),
	};
}

export function groupHandlers(context: Context): Handlers<typeof GroupControllerService> {
	const bind = binder(context);
	return {
		groupControllerGetCapabilities: bind(groupCapabilities),
		createVolumeGroupSnapshot: bind(createGroupSnapshot),
		deleteVolumeGroupSnapshot: bind(deleteGroupSnapshot),
		getVolumeGroupSnapshot: bind(getGroupSnapshot),
	};
}

export function metadataHandlers(context: Context): Handlers<typeof SnapshotMetadataService> {
	return {
		getMetadataAllocated: (request, { signal }) => metadataAllocated(context, request, signal),
		getMetadataDelta: (request, { signal }) => metadataDelta(context, request, signal),
	};
}

export function nodeHandlers(context: Context): Handlers<typeof NodeService> {
	const bind = binder(context);
	return {
		nodeStageVolume: bind(stageVolume),
		nodeUnstageVolume: bind(unstageVolume),
		nodePublishVolume: bind(nodePublish),
		nodeUnpublishVolume: bind(nodeUnpublish),
		nodeGetVolumeStats: bind(volumeStats),
		nodeExpandVolume: bind(nodeExpand),
		nodeGetCapabilities: bind(nodeCapabilities),
		nodeGetInfo: bind(nodeInfo),
		nodeGetVolumeHealth: bind(volumeHealth),
		nodeGetStorageHealth: bind(storageHealth),
	};
}
