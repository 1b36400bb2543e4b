/**
 * Which IP families a Service has (upstream registry/core/service/storage/alloc.go, initIPFamilyFields): from its addresses, what it asks for
 * and what the cluster has. Pure but for the spec, which is completed in place.
 */
import { invalidValue, type FieldError } from '../../../api/field-error.ts';
import type { ServiceSpec } from '../../../api/gen/types.ts';
import { sameJson } from '../../../api/same-json.ts';
import { clusterIps } from '../../../api/validation/network/service.ts';
import { familyOf, type Family } from './ip-range.ts';

/** @param configured the families of the cluster's ranges, the default one first */
export function completeFamilies(spec: ServiceSpec, before: ServiceSpec | undefined, configured: readonly Family[]): FieldError[] {
	if (spec.type === 'ExternalName' || staysPreferred(spec, before)) return [];
	const isHeadless = spec.clusterIP === 'None';
	const isOpen = isHeadless && Object.keys(spec.selector ?? {}).length === 0;
	if ((spec.clusterIP ?? '') !== '' && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP as string];
	spec.ipFamilyPolicy ??= before?.ipFamilyPolicy ?? (isOpen ? 'RequireDualStack' : 'SingleStack');
	const errors: FieldError[] = [];
	clusterIps(errors, spec, before);
	if (errors.length > 0) return errors;
	const given = spec.ipFamilies?.length ?? 0;
	if (before !== undefined) errors.push(...released(spec, before));
	const families = [...(spec.ipFamilies ?? [])] as Family[];
	errors.push(...agreement(spec), ...infer(families, spec.clusterIPs ?? [], configured));
	if (errors.length > 0) return errors;
	if (!isOpen) {
		if (spec.ipFamilyPolicy === 'RequireDualStack' && configured.length < 2)
			errors.push(invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
		for (const [i, family] of families.slice(0, given).entries())
			if (!configured.includes(family)) errors.push(invalidValue(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster'));
		if (errors.length > 0) return errors;
	}
	if (families.length === 0) families.push(configured[0] ?? 'IPv4');
	// A Service without a selector may have both families on any cluster: its endpoints are somebody else's.
	if (spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1 && (isOpen || configured.length > 1))
		families.push(other(families[0] as Family));
	spec.ipFamilies = families;
	if (!isHeadless) spec.clusterIPs = (spec.clusterIPs ?? []).slice(0, families.length);
	return [];
}

/** A Service that prefers both families is not changed with the cluster: only with its own fields (upstream isMatchingPreferDualStackClusterIPFields). */
function staysPreferred(spec: ServiceSpec, before: ServiceSpec | undefined): boolean {
	if (before === undefined || before.type !== spec.type || spec.ipFamilyPolicy !== 'PreferDualStack') return false;
	if ((before.ipFamilyPolicy ?? 'PreferDualStack') !== 'PreferDualStack' || (spec.ipFamilies ?? []).length === 0) return false;
	return sameJson(spec.clusterIPs ?? [], before.clusterIPs ?? []) && sameJson(spec.ipFamilies, before.ipFamilies);
}

/** The second address and family go when the policy says so, and only then. */
function released(spec: ServiceSpec, before: ServiceSpec): FieldError[] {
	const say = (what: string): FieldError =>
		invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`);
	const errors: FieldError[] = [];
	for (const [key, what] of [
		['clusterIPs', 'cluster IP'],
		['ipFamilies', 'IP family'],
	] as const) {
		const [now, old] = [(spec[key] ?? []) as string[], (before[key] ?? []) as string[]];
		if (spec.ipFamilyPolicy !== 'SingleStack') {
			if (now.length > 0 && now.length < old.length) errors.push(say(what));
		} else if (now.length > 1 && now.length === old.length && now.every((one, i) => one === old[i])) spec[key] = now.slice(0, 1);
	}
	return errors;
}

function agreement({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec): FieldError[] {
	if (ipFamilyPolicy !== 'SingleStack') return [];
	const say = (what: string): FieldError =>
		invalidValue(
			'spec.ipFamilyPolicy',
			ipFamilyPolicy,
			`must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
		);
	return [...(clusterIPs.length === 2 ? [say('cluster IPs')] : []), ...(ipFamilies.length === 2 ? [say('IP families')] : [])];
}

/** Completes the families by the addresses. */
function infer(families: Family[], addresses: readonly string[], configured: readonly Family[]): FieldError[] {
	const errors: FieldError[] = [];
	for (const [i, address] of addresses.entries()) {
		const family = familyOf(address);
		if (family === undefined || i < families.length) continue;
		if (configured.includes(family)) families.push(family);
		else errors.push(invalidValue(`spec.clusterIPs[${i}]`, addresses, `${family} is not configured on this cluster`));
	}
	return errors;
}

function other(family: Family): Family {
	return family === 'IPv4' ? 'IPv6' : 'IPv4';
}
