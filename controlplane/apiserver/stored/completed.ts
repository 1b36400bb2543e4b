/** What other fields say that objects written by an older server lack: filled in whenever they are read (upstream: defaultOnRead of claims and of Services). */
import type { KubeObject } from '../../../api/resource.ts';
import type { PersistentVolumeClaim, Service, ServiceSpec } from '../../../api/gen/types.ts';
import { familyOf, type Family } from '../allocation/ip-range.ts';
import { equalSources } from '../strategy/claim.ts';

const NONE = 'None';

/** `object`, changed in place. @param primary the family of the first service range */
export function completed(object: KubeObject, primary: Family): KubeObject {
	if (object.apiVersion !== 'v1') return object;
	if (object.kind === 'PersistentVolumeClaim') equalSources((object as PersistentVolumeClaim).spec);
	else if (object.kind === 'Service') completeService((object as Service).spec, primary);
	return object;
}

function completeService(spec: ServiceSpec | undefined, primary: Family): void {
	if (spec === undefined) return;
	// Written before a Service could have two addresses.
	if ((spec.clusterIP ?? '') !== '' && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP as string];
	if (spec.type === 'ExternalName') delete spec.internalTrafficPolicy;
	else if ((spec.ipFamilies ?? []).length === 0) completeFamilies(spec, primary);
}

function completeFamilies(spec: ServiceSpec, primary: Family): void {
	const selects = Object.keys(spec.selector ?? {}).length > 0;
	if (spec.clusterIP !== NONE) spec.ipFamilies = (spec.clusterIPs ?? []).map((address) => familyOf(address) ?? 'IPv4');
	// What endpoints somebody else gives it is not known.
	else spec.ipFamilies = selects ? [primary] : [primary, primary === 'IPv4' ? 'IPv6' : 'IPv4'];
	if (spec.ipFamilies.length === 0) delete spec.ipFamilies;
	else spec.ipFamilyPolicy = spec.ipFamilies.length === 2 ? 'RequireDualStack' : 'SingleStack';
}
