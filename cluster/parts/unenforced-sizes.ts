/** Whose volume is a plain folder is told so on the claim, as it is bound: nothing keeps that to its size, and only the driver's log would say it. */
import type { PersistentVolume } from '../../api/gen/types.ts';
import { keyOf, type Key } from '../../api/resource.ts';
import { PERSISTENT_VOLUMES } from '../../api/resources.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Service } from '../../base/service.ts';
import type { Change } from '../../client/cache.ts';
import { createController, keysFrom } from '../../client/controller.ts';
import type { EventRecorder } from '../../client/events.ts';
import type { Informers } from '../../client/informers.ts';

interface Deps {
	readonly informers: Informers;
	readonly recorder: EventRecorder;
	readonly clock: Clock;
	readonly log: Log;
}

export function unenforcedSizes(driverName: string, { informers, recorder, clock, log }: Deps): Service {
	const volumes = informers.get(PERSISTENT_VOLUMES);
	return createController({
		...{ name: 'storage-unenforced-sizes', clock, log },
		sources: [keysFrom<PersistentVolume>(volumes, (change) => (isFolder(change.after, driverName) ? bound(change) : []))],
		async reconcile(key) {
			const volume = volumes.lister.get(key);
			const claim = volume?.spec?.claimRef;
			if (volume === undefined || claim === undefined) return;
			const size = volume.spec?.capacity?.['storage'] ?? '0';
			const text = `Volume ${key} is a plain folder of the node: nothing keeps it to its size of ${size}`;
			recorder.event({ ...claim, kind: 'PersistentVolumeClaim', apiVersion: 'v1' }, 'Warning', 'VolumeSizeNotEnforced', text);
		},
	});
}

/** By the driver's volume context (csi/controller/volume-message.ts). */
function isFolder(volume: PersistentVolume | undefined, driverName: string): boolean {
	const csi = volume?.spec?.csi;
	return csi?.driver === driverName && csi.volumeAttributes?.['backend'] === 'directory';
}

/** At that moment; those of before were told then. */
function bound({ before, after }: Change<PersistentVolume>): readonly Key[] {
	if (before === undefined || after === undefined) return [];
	return before.status?.phase !== 'Bound' && after.status?.phase === 'Bound' ? [keyOf(after)] : [];
}
