/** PersistentVolumeClaims: the two ways to name a data source say the same. */
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../api/gen/types.ts';
import type { Strategy } from './strategy.ts';

const SNAPSHOTS = 'snapshot.storage.k8s.io';

export const claimStrategy: Strategy = {
	status: ['status'],
	answersDeleted: true,
	prepareForCreate(object) {
		object['status'] = { phase: 'Pending' };
		normalizeSources((object as PersistentVolumeClaim).spec, undefined);
	},
	prepareForUpdate(object, old) {
		normalizeSources((object as PersistentVolumeClaim).spec, (old as PersistentVolumeClaim).spec);
	},
};

/** A source that was there before may be named by one of the fields alone: clients that know no other write it so. */
function normalizeSources(spec: PersistentVolumeClaimSpec | undefined, before: PersistentVolumeClaimSpec | undefined): void {
	if (spec === undefined) return;
	// Crossing namespaces is a feature that is off.
	if ((spec.dataSourceRef?.namespace ?? '') !== '' && before?.dataSourceRef === undefined) delete spec.dataSourceRef;
	const wasThere = before?.dataSource !== undefined || before?.dataSourceRef !== undefined;
	if (!wasThere && spec.dataSourceRef === undefined && !isClaimOrSnapshot(spec.dataSource)) delete spec.dataSource;
	equalSources(spec);
}

/** Where one of the two fields names the source, the other one does, too; in another namespace only the second can. */
export function equalSources(spec: PersistentVolumeClaimSpec | undefined): void {
	if (spec === undefined) return;
	const { dataSource, dataSourceRef } = spec;
	if (dataSource !== undefined && dataSourceRef === undefined) spec.dataSourceRef = reference(dataSource);
	else if (dataSource === undefined && dataSourceRef !== undefined && (dataSourceRef.namespace ?? '') === '')
		spec.dataSource = reference(dataSourceRef);
}

type Reference = NonNullable<PersistentVolumeClaimSpec['dataSource']>;

function reference({ apiGroup, kind, name }: Reference): Reference {
	return { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name };
}

function isClaimOrSnapshot(source: Reference | undefined): boolean {
	const group = source?.apiGroup ?? '';
	return (group === '' && source?.kind === 'PersistentVolumeClaim') || (group === SNAPSHOTS && source?.kind === 'VolumeSnapshot');
}
