/** PersistentVolumeClaims: the two ways to name a data source say the same. */
import type { PersistentVolumeClaim } from '../../../api/gen/types.ts';
import type { Strategy } from './strategy.ts';

const SNAPSHOTS = 'snapshot.storage.k8s.io';

export const claimStrategy: Strategy = {
	status: ['status'],
	answersDeleted: true,
	prepareForCreate(object) {
		object['status'] = { phase: 'Pending' };
		const { spec } = object as PersistentVolumeClaim;
		if (spec === undefined) return;
		const { dataSource, dataSourceRef } = spec;
		if (dataSourceRef !== undefined) {
			delete dataSourceRef.namespace; // crossing namespaces is a feature that is off
			if (dataSource === undefined) {
				const { apiGroup, kind, name } = dataSourceRef;
				spec.dataSource = { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name };
			}
			return;
		}
		if (dataSource === undefined) return;
		const { apiGroup, kind, name } = dataSource;
		const isClaim = (apiGroup ?? '') === '' && kind === 'PersistentVolumeClaim';
		if (isClaim || (apiGroup === SNAPSHOTS && kind === 'VolumeSnapshot'))
			spec.dataSourceRef = { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name };
		else delete spec.dataSource;
	},
};
