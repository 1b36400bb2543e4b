/** VolumeRestrictions: a claim for one pod alone is used by no other, and disks that one pod alone may have neither. */
import type { Pod, Volume } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { blocked, impossible, type FilterPlugin, type Snapshot } from '../framework.ts';
import { notFound } from '../storage/claims.ts';
import type { StorageView } from '../storage/view.ts';

const DISK_CONFLICT = 'node(s) had no available disk';
const IN_USE = 'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';

export function volumeRestrictions(view: StorageView): FilterPlugin {
	return {
		name: 'VolumeRestrictions',
		wokenBy: ['podDeleted', 'nodeAdded', 'claimChanged'],
		prepare({ pod, namespace }, snapshot) {
			const disks = (pod.spec?.volumes ?? []).filter(isExclusiveDisk);
			const alone = new Set<string>();
			for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
				if (persistentVolumeClaim === undefined) continue;
				const name = persistentVolumeClaim.claimName;
				const claim = view.claim(keyOf({ metadata: { namespace, name } }));
				if (claim === undefined) return impossible(notFound(name));
				if (claim.spec?.accessModes?.includes('ReadWriteOncePod') === true) alone.add(name);
			}
			const isTaken = alone.size > 0 && isUsed(namespace, alone, snapshot);
			if (disks.length === 0 && !isTaken) return 'skip';
			return (node) => {
				if (node.pods.some((other) => disks.some((disk) => conflicts(disk, other.pod)))) return blocked(DISK_CONFLICT);
				return isTaken ? blocked(IN_USE) : undefined;
			};
		},
	};
}

function isUsed(namespace: string, claims: ReadonlySet<string>, { nodes }: Snapshot): boolean {
	const uses = (pod: Pod): boolean => (pod.spec?.volumes ?? []).some((v) => claims.has(v.persistentVolumeClaim?.claimName ?? ''));
	return nodes.some(({ pods }) => pods.some((other) => other.namespace === namespace && uses(other.pod)));
}

function isExclusiveDisk(volume: Volume): boolean {
	return [volume.gcePersistentDisk, volume.awsElasticBlockStore, volume.rbd, volume.iscsi].some((disk) => disk !== undefined);
}

/** The same disk, unless both only read it. */
function conflicts(volume: Volume, pod: Pod): boolean {
	return (pod.spec?.volumes ?? []).some((other) => {
		const { gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd } = volume;
		const bothRead = (a?: { readOnly?: boolean | undefined }, b?: { readOnly?: boolean | undefined }): boolean =>
			a?.readOnly === true && b?.readOnly === true;
		const theirs = other.rbd;
		return (
			(gce !== undefined && gce.pdName === other.gcePersistentDisk?.pdName && !bothRead(gce, other.gcePersistentDisk)) ||
			(aws !== undefined && aws.volumeID === other.awsElasticBlockStore?.volumeID) ||
			(iscsi !== undefined && iscsi.iqn === other.iscsi?.iqn && !bothRead(iscsi, other.iscsi)) ||
			(rbd !== undefined &&
				theirs !== undefined &&
				rbd.monitors.some((monitor) => theirs.monitors.includes(monitor)) &&
				rbd.pool === theirs.pool &&
				rbd.image === theirs.image &&
				!bothRead(rbd, theirs))
		);
	});
}
