/** The csi-snapshotter: contents become snapshots of the driver, and go with them. */
import type { Key } from '../../../api/resource.ts';
import { keyOf } from '../../../api/resource.ts';
import { sameJson } from '../../../api/same-json.ts';
import type { Service } from '../../../base/service.ts';
import type { Change } from '../../../client/cache.ts';
import { createController, keysFrom } from '../../../client/controller.ts';
import { ControllerServiceCapability_RPC_Type as Rpc, GroupControllerServiceCapability_RPC_Type as GroupRpc } from '../../proto.ts';
import type { RoleDeps } from '../role.ts';
import {
	VOLUME_GROUP_SNAPSHOT_CLASSES,
	VOLUME_GROUP_SNAPSHOT_CONTENTS,
	VOLUME_SNAPSHOT_CLASSES,
	VOLUME_SNAPSHOT_CONTENTS,
	type VolumeGroupSnapshotContent,
	type VolumeSnapshotContent,
} from '../snapshot-kinds.ts';
import { BEING_CREATED, GROUP_BEING_CREATED } from '../snapshot-names.ts';
import { contentReconcile } from './contents.ts';
import { groupContentReconcile } from './group-contents.ts';

export interface SnapshotterOptions {
	/** --snapshot-name-prefix */
	readonly namePrefix: string;
	/** --groupsnapshot-name-prefix */
	readonly groupNamePrefix: string;
	/** --extra-create-metadata */
	readonly extraMetadata: boolean;
	/** --feature-gates=CSIVolumeGroupSnapshot=true */
	readonly groups: boolean;
}

const SNAPSHOTTER_DEFAULTS: SnapshotterOptions = {
	namePrefix: 'snapshot',
	groupNamePrefix: 'groupsnapshot',
	extraMetadata: false,
	groups: true,
};

export function createSnapshotter(deps: RoleDeps, given: Partial<SnapshotterOptions> = {}): readonly Service[] {
	const options = { ...SNAPSHOTTER_DEFAULTS, ...given };
	const { informers, clock, workers, backoff, driver, metrics } = deps;
	const log = deps.log.with({ role: 'snapshotter' });
	const common = { clock, log, workers, backoff, ...(metrics === undefined ? {} : { metrics }) };
	if (!driver.controllerRpcs.has(Rpc.CREATE_DELETE_SNAPSHOT)) return [];
	const contents = informers.get(VOLUME_SNAPSHOT_CONTENTS);
	const classes = informers.get(VOLUME_SNAPSHOT_CLASSES);
	const snapshotting = { ...deps, log, contents: contents.lister, classes: classes.lister };
	return [
		createController({
			...common,
			name: 'csi-snapshotter',
			sources: [keysFrom(contents, changed), keysFrom(classes, () => [])],
			reconcile: contentReconcile({ ...snapshotting, namePrefix: options.namePrefix, extraMetadata: options.extraMetadata }),
		}),
		...(options.groups && driver.groupRpcs.has(GroupRpc.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT) ? [ofGroups()] : []),
	];

	function ofGroups(): Service {
		const groupContents = informers.get(VOLUME_GROUP_SNAPSHOT_CONTENTS);
		const groupClasses = informers.get(VOLUME_GROUP_SNAPSHOT_CLASSES);
		const listers = { groupContents: groupContents.lister, groupClasses: groupClasses.lister };
		return createController({
			...common,
			name: 'csi-snapshotter-groups',
			sources: [keysFrom(groupContents, changed), keysFrom(groupClasses, () => [])],
			reconcile: groupContentReconcile({ ...deps, log, ...listers, namePrefix: options.groupNamePrefix }),
		});
	}
}

type Content = VolumeSnapshotContent | VolumeGroupSnapshotContent;

/** Our own words about a failure are no reason to try again at once. Pure. */
function changed({ before, after }: Change<Content>): readonly Key[] {
	if (after === undefined) return [];
	return before !== undefined && sameJson(substance(before), substance(after)) ? [] : [keyOf(after)];
}

function substance({ metadata, spec, status }: Content): unknown {
	const { [BEING_CREATED]: _creating, [GROUP_BEING_CREATED]: _group, ...annotations } = metadata.annotations ?? {};
	const { error: _error, readyToUse: _ready, ...told } = status ?? {};
	return { annotations, deleted: metadata.deletionTimestamp, spec, told };
}
