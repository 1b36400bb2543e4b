/** Quotas on claims: volumes by number, size and storage class, and devices by device class. Pure. */
import type { PersistentVolumeClaim, ResourceResourceClaim } from '../gen/types.ts';
import { addTo, amountsOf, raiseTo } from '../pod/amounts.ts';
import { classOfClaim } from '../storage/class.ts';
import { count, objectCountName, type QuotaEvaluator } from './evaluator.ts';
import { matchesScopeValue } from './scopes.ts';

const COUNT = objectCountName('', 'persistentvolumeclaims');
const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';
const CLASS_SUFFIX = '.storageclass.storage.k8s.io/';

export const volumeClaimQuota: QuotaEvaluator = {
	group: '',
	resource: CLAIMS,
	// The status says what a volume grows to, and which class it has.
	charges: (subresource, _object, before) => subresource === '' || (subresource === 'status' && before !== undefined),
	matching: (names) =>
		names.filter((name) => name === COUNT || [CLAIMS, STORAGE].some((own) => name === own || name.endsWith(CLASS_SUFFIX + own))),
	usage(object) {
		const { spec, status } = object as PersistentVolumeClaim;
		const storageClass = classOfClaim(object as PersistentVolumeClaim);
		const names = (own: string): readonly string[] => [own, ...(storageClass === '' ? [] : [storageClass + CLASS_SUFFIX + own])];
		const usage = addTo(count([COUNT]), count(names(CLAIMS)));
		const size = raiseTo(
			new Map([...amountsOf(spec?.resources?.requests)].filter(([name]) => name === 'storage')),
			new Map([...amountsOf(status?.allocatedResources)].filter(([name]) => name === 'storage')),
		).get('storage');
		return size === undefined ? usage : addTo(usage, new Map(names(STORAGE).map((name) => [name, size])));
	},
	inScope(object, scope) {
		if (scope.scopeName !== 'VolumeAttributesClass') return false;
		const { spec, status } = object as PersistentVolumeClaim;
		const own = [
			spec?.volumeAttributesClassName,
			status?.currentVolumeAttributesClassName,
			status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
		];
		const names = own.filter((name) => name !== undefined && name !== '');
		return names.length === 0 ? matchesScopeValue(scope, '') : names.some((name) => matchesScopeValue(scope, name ?? ''));
	},
};

const DEVICES_SUFFIX = '.deviceclass.resource.k8s.io/devices';
/** A request for all devices counts as the most that an allocation can have (AllocationResultsMaxSize). */
const MAX_DEVICES = 32;

export const deviceClaimQuota: QuotaEvaluator = {
	group: 'resource.k8s.io',
	resource: 'resourceclaims',
	charges: (subresource) => subresource === '',
	matching: (names) =>
		names.filter((name) => name === objectCountName('resource.k8s.io', 'resourceclaims') || name.endsWith(DEVICES_SUFFIX)),
	usage(object) {
		const usage = count([objectCountName('resource.k8s.io', 'resourceclaims')]);
		for (const { exactly, firstAvailable = [] } of (object as ResourceResourceClaim).spec.devices?.requests ?? []) {
			const most = new Map<string, number>();
			for (const { deviceClassName, allocationMode, count: asked = 1 } of exactly === undefined ? firstAvailable : [exactly])
				most.set(deviceClassName, Math.max(most.get(deviceClassName) ?? 0, allocationMode === 'All' ? MAX_DEVICES : asked));
			for (const [name, devices] of most) addTo(usage, count([name + DEVICES_SUFFIX], devices));
		}
		return usage;
	},
};
