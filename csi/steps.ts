/**
 * The named steps of the RPCs: places between two durable effects where a crash leaves something half done. A driver tells each one before it
 * goes on, so that tests can end the process exactly there; in production nobody listens.
 */

export const STEPS = [
	'CreateVolume: folder made',
	'CreateVolume: record written',
	'CreateVolume: data made',
	'CreateVolume: committed',
	'DeleteVolume: taken out',
	'DeleteVolume: data removed',
	'ControllerPublishVolume: recorded',
	'ControllerUnpublishVolume: recorded',
	'ControllerExpandVolume: data grown',
	'ControllerExpandVolume: recorded',
	'ControllerModifyVolume: recorded',
	'CreateSnapshot: folder made',
	'CreateSnapshot: record written',
	'CreateSnapshot: frozen',
	'CreateSnapshot: copied',
	'CreateSnapshot: data made',
	'CreateSnapshot: committed',
	'DeleteSnapshot: taken out',
	'DeleteSnapshot: data removed',
	'CreateVolumeGroupSnapshot: frozen',
	'CreateVolumeGroupSnapshot: copied',
	'CreateVolumeGroupSnapshot: members committed',
	'CreateVolumeGroupSnapshot: committed',
	'DeleteVolumeGroupSnapshot: members removed',
	'DeleteVolumeGroupSnapshot: removed',
	'NodeStageVolume: intended',
	'NodeStageVolume: checked',
	'NodeStageVolume: mounted',
	'NodeStageVolume: group set',
	'NodeUnstageVolume: unmounted',
	'NodeUnstageVolume: forgotten',
	'NodePublishVolume: folder made',
	'NodePublishVolume: record written',
	'NodePublishVolume: data made',
	'NodePublishVolume: committed',
	'NodePublishVolume: intended',
	'NodePublishVolume: target made',
	'NodePublishVolume: mounted',
	'NodeUnpublishVolume: unmounted',
	'NodeUnpublishVolume: target removed',
	'NodeUnpublishVolume: forgotten',
	'NodeUnpublishVolume: taken out',
	'NodeUnpublishVolume: data removed',
	'NodeExpandVolume: file system grown',
] as const;

export type Step = (typeof STEPS)[number];

export interface Steps {
	/** The step is done; the next one begins once this resolves. */
	done(step: Step): Promise<void>;
}

export const noSteps: Steps = { done: () => Promise.resolve() };
