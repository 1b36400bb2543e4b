/**
 * Which IP families a Service has (upstream registry/core/service/storage/alloc.go, initIPFamilyFields): from its addresses, what it asks for
 * and what the cluster has. Pure but for the spec, which is completed in place.
 */
import { invalidValue, type FieldError } from '../../../api/field-error.ts';
import type { ServiceSpec } from '../../../api/gen/types.ts';
import { familyOf, type Family } from './ip-range.ts';

/** @param configured the families of the cluster's ranges, the default one first */
export function completeFamilies(spec: ServiceSpec, before: ServiceSpec | undefined, configured: readonly Family[]): FieldError[] {
	if (spec.type === 'ExternalName') return [];
	const addresses = spec.clusterIPs ?? [];
	if (addresses.length > 0 && (spec.clusterIP ?? '') === '')
		return [invalidValue('spec.clusterIPs', addresses, 'must be empty when `clusterIP` is not specified')];
	if ((spec.clusterIP ?? '') !== '' && addresses.length === 0) spec.clusterIPs = [spec.clusterIP as string];
	const families = [...(spec.ipFamilies ?? [])] as Family[];
	// Validation says so.
	if (families.some((family) => family !== 'IPv4' && family !== 'IPv6')) return [];
	const mismatch = infer(families, spec.clusterIPs ?? []);
	if (mismatch !== undefined) return [mismatch];

	const headless = spec.clusterIP === 'None';
	if (headless && Object.keys(spec.selector ?? {}).length === 0) {
		if (families.length === 0) families.push(configured[0] ?? 'IPv4');
		if (spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1) families.push(other(families[0] as Family));
		spec.ipFamilyPolicy ??= 'RequireDualStack';
		spec.ipFamilies = families;
		return [];
	}
	if (families.length === 0) families.push(configured[0] ?? 'IPv4');
	spec.ipFamilyPolicy ??= 'SingleStack';
	const errors = refusals(spec, families, configured);
	if (errors.length > 0) return errors;
	if (spec.ipFamilyPolicy === 'SingleStack') families.length = 1;
	else if (families.length === 1 && configured.length > 1) families.push(other(families[0] as Family));
	spec.ipFamilies = families;
	if (!headless) spec.clusterIPs = (spec.clusterIPs ?? []).slice(0, families.length);
	return [];
}

/** Completes the families by the addresses; an address that contradicts its family is told. */
function infer(families: Family[], addresses: readonly string[]): FieldError | undefined {
	for (const [i, address] of addresses.entries()) {
		const family = familyOf(address);
		if (family === undefined) continue;
		if (i >= families.length) families.push(family);
		else if (families[i] !== family)
			return invalidValue(`spec.clusterIPs[${i}]`, address, `expected an ${families[i]} value as indicated by \`ipFamilies[${i}]\``);
	}
	return undefined;
}

function refusals(spec: ServiceSpec, families: readonly Family[], configured: readonly Family[]): FieldError[] {
	const { ipFamilyPolicy, clusterIPs = [], ipFamilies = [] } = spec;
	if (ipFamilyPolicy === 'SingleStack' && ipFamilies.length > 1)
		return [
			invalidValue(
				'spec.ipFamilyPolicy',
				ipFamilyPolicy,
				"must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
			),
		];
	if (ipFamilyPolicy === 'RequireDualStack' && configured.length < 2)
		return [invalidValue('spec.ipFamilyPolicy', ipFamilyPolicy, 'this cluster is not configured for dual-stack services')];
	return families.flatMap((family, i) => {
		if (configured.includes(family)) return [];
		return [
			i < ipFamilies.length
				? invalidValue(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster')
				: invalidValue(`spec.clusterIPs[${i}]`, clusterIPs, `${family} is not configured on this cluster`),
		];
	});
}

function other(family: Family): Family {
	return family === 'IPv4' ? 'IPv6' : 'IPv4';
}
