/** The host name of a pod. Pure. */
import type { Pod } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';

/** Linux allows 64; upstream cuts names at the DNS label's 63. */
const MAX_HOSTNAME = 63;
const MAX_FQDN = 64;

export interface HostNames {
	/** What the sandbox is called. */
	readonly hostname: string;
	/** The same without a domain, for the hosts file. */
	readonly short: string;
	/** Empty without a subdomain. */
	readonly fqdn: string;
}

/** AppError InvalidArgument when an FQDN asked for as host name is too long. */
export function hostNamesOf(pod: Pod, clusterDomain: string, nodeHostname: string): HostNames {
	const { spec, metadata } = pod;
	if (spec?.hostNetwork === true) return { hostname: nodeHostname, short: nodeHostname, fqdn: '' };
	const override = spec?.hostnameOverride === undefined ? undefined : cut(spec.hostnameOverride);
	if (override !== undefined) return { hostname: override, short: override, fqdn: '' };
	const short = cut(spec?.hostname || (metadata.name ?? ''));
	const fqdn = spec?.subdomain ? `${short}.${spec.subdomain}.${metadata.namespace ?? ''}.svc.${clusterDomain}` : '';
	if (spec?.setHostnameAsFQDN !== true || fqdn === '') return { hostname: short, short, fqdn };
	if (fqdn.length > MAX_FQDN)
		throw new AppError(
			'InvalidArgument',
			`Failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long (${MAX_FQDN} characters is the max, ${fqdn.length} characters requested)`,
		);
	return { hostname: fqdn, short, fqdn };
}

function cut(name: string): string {
	return name.length <= MAX_HOSTNAME ? name : name.slice(0, MAX_HOSTNAME).replace(/[-.]+$/, '');
}
