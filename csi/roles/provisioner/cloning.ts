/** Sources of copies are let go once no copy is being made of them: claims at once, snapshots that were left behind now and then. */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/resources.ts';
import { AppError } from '../../../base/errors.ts';
import type { Reconcile } from '../../../client/controller.ts';
import { removeFinalizer } from '../finalizers.ts';
import { CLONE_FINALIZER, type Provisioning } from './options.ts';

/** Keys are claims that are being deleted. */
export function cloningReconcile({ client, listers }: Provisioning): Reconcile {
	return async (key, signal) => {
		const claim = listers.claims.get(key);
		if (claim?.metadata.deletionTimestamp === undefined || !hasFinalizer(claim, CLONE_FINALIZER)) return;
		const copy = listers.claims.list(claim.metadata.namespace).find((other) => isPendingCopy(other, claim));
		if (copy !== undefined) throw new AppError('Unavailable', `PVC '${copy.metadata.name}' is in 'Pending' state, cloning in progress`);
		await removeFinalizer(client, PERSISTENT_VOLUME_CLAIMS, claim, CLONE_FINALIZER, signal);
	};
}

/** Pure. */
function isPendingCopy({ spec, status }: PersistentVolumeClaim, of: PersistentVolumeClaim): boolean {
	const source = spec?.dataSource;
	return source?.kind === 'PersistentVolumeClaim' && source.name === of.metadata.name && status?.phase === 'Pending';
}
