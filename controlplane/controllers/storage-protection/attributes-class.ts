/** Classes of volume attributes stay while claims or volumes have them (upstream's vacprotection). */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, VOLUME_ATTRIBUTES_CLASSES } from '../../../api/resources.ts';
import { ignore } from '../../../base/errors.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import type { Informers } from '../../../client/informers.ts';
import type { Reconciler } from '../reconciler.ts';
import { withFinalizer, withoutFinalizer } from './finalizers.ts';

const FINALIZER = 'kubernetes.io/vac-protection';
const INDEX = 'attributes-class';

/** Keys are classes. */
export function attributesClassProtection(client: Client, informers: Informers): Reconciler {
	const classes = informers.get(VOLUME_ATTRIBUTES_CLASSES);
	const claims = informers.get(PERSISTENT_VOLUME_CLAIMS);
	const volumes = informers.get(PERSISTENT_VOLUMES);
	claims.addIndex(INDEX, classesOfClaim);
	volumes.addIndex(INDEX, classesOfVolume);
	const left = <T>({ before, after }: Change<T>, classesOf: (object: T) => readonly string[]): readonly string[] => {
		const now = after === undefined ? [] : classesOf(after);
		return before === undefined ? [] : classesOf(before).filter((name) => !now.includes(name));
	};
	return {
		sources: [
			keysFrom(classes),
			keysFrom<PersistentVolumeClaim>(claims, (change) => left(change, classesOfClaim)),
			keysFrom<PersistentVolume>(volumes, (change) => left(change, classesOfVolume)),
		],
		async reconcile(key, signal) {
			const one = classes.lister.get(key);
			if (one === undefined) return;
			const has = hasFinalizer(one, FINALIZER);
			const isGoing = one.metadata.deletionTimestamp !== undefined;
			if (has !== isGoing) return;
			if (isGoing && (claims.lister.byIndex(INDEX, key).length > 0 || volumes.lister.byIndex(INDEX, key).length > 0)) return;
			const wanted = isGoing ? withoutFinalizer(one, FINALIZER) : withFinalizer(one, FINALIZER);
			await client.update(VOLUME_ATTRIBUTES_CLASSES, wanted, { signal }).catch(ignore('NotFound'));
		},
	};
}

/** The one it asks for, the one it has, and the one it is on its way to. Pure. */
function classesOfClaim({ spec, status }: PersistentVolumeClaim): readonly string[] {
	const names = [
		spec?.volumeAttributesClassName,
		status?.currentVolumeAttributesClassName,
		status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
	];
	return [...new Set(names.filter((name): name is string => name !== undefined && name !== ''))];
}

function classesOfVolume({ spec }: PersistentVolume): readonly string[] {
	const name = spec?.volumeAttributesClassName ?? '';
	return name === '' ? [] : [name];
}
