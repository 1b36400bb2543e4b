/** Claims and volumes of a class that waits for its consumer, for the scheduler's tests. */
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '../../api/gen/types.ts';
import { pod } from './scheduling.ts';

export const DRIVER = 'csi.example.com';
export const DONE = { 'pv.kubernetes.io/bind-completed': 'yes' };
export const selected = (on: string): object => ({ annotations: { 'volume.kubernetes.io/selected-node': on } });
export const claim = (name: string, spec: object = {}, metadata: object = {}, status: object = {}): PersistentVolumeClaim => ({
	metadata: { namespace: 'default', name, uid: `u-${name}`, ...metadata },
	spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } }, storageClassName: 'wait', ...spec },
	status,
});
export const bound = (name: string, volumeName = `v-${name}`, spec: object = {}): PersistentVolumeClaim =>
	claim(name, { volumeName, ...spec }, { annotations: DONE }, { phase: 'Bound' });
export const volume = (name: string, spec: object = {}, labels: Record<string, string> = {}): PersistentVolume => ({
	metadata: { name, labels },
	spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' }, storageClassName: 'wait', ...spec },
	status: { phase: 'Available' },
});
export const on = (...names: string[]): object => ({
	nodeAffinity: {
		required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: names }] }] },
	},
});
export const using = (...claims: string[]): Pod =>
	pod('p', { volumes: claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })) });
export const wait: StorageClass = { metadata: { name: 'wait' }, provisioner: DRIVER, volumeBindingMode: 'WaitForFirstConsumer' };
