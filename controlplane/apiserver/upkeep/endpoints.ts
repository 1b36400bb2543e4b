/** The endpoints of the kubernetes Service as they have to be, from what is there (upstream's lease reconciler). Pure. */
import type { Endpoints, EndpointSlice } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import { kubernetesEndpoints, kubernetesEndpointSlice } from '../bootstrap/system-objects.ts';

/** Where this server is reached. */
export interface Own {
	readonly address: string;
	readonly port: number;
}

type StoredEndpoints = Endpoints & KubeObject;
type StoredSlice = EndpointSlice & KubeObject;

/**
 * The same where it is right. Ports that stand there stay where others may be served at them: those of another server may differ.
 * @param addresses of all servers that serve
 * @param othersShareOwn another server may have the same address, too
 */
export function wantedEndpoints(
	stored: StoredEndpoints | undefined,
	addresses: readonly string[],
	own: Own,
	othersShareOwn = false,
): StoredEndpoints {
	const made = kubernetesEndpoints(own.address, own.port) as StoredEndpoints;
	const present = stored ?? made;
	const labels = { ...present.metadata.labels, ...made.metadata.labels };
	const [subset, ...more] = present.subsets ?? [];
	const isOne = subset !== undefined && more.length === 0;
	const keepsPorts = isOne && (othersShareOwn || addresses.some((address) => address !== own.address));
	const ports = (keepsPorts ? subset.ports : undefined) ?? made.subsets?.[0]?.ports ?? [];
	const isRight =
		addresses.length === 0
			? subset === undefined
			: isOne &&
				(subset.notReadyAddresses ?? []).length === 0 &&
				sameAddresses(
					(subset.addresses ?? []).map(({ ip }) => ip),
					addresses,
				) &&
				sameButNulls(subset.ports, ports);
	if (stored !== undefined && isRight && sameButNulls(labels, stored.metadata.labels)) return stored;
	const subsets = addresses.length === 0 ? [] : [{ addresses: addresses.map((ip) => ({ ip })), ports }];
	return { ...present, metadata: { ...present.metadata, labels }, subsets: isRight ? (present.subsets ?? []) : subsets };
}

/** The slice that says the same as the Endpoints; the same where it does. Its type may be another one, which none can change to. */
export function wantedSlice(stored: StoredSlice | undefined, endpoints: Endpoints): StoredSlice {
	const subset = endpoints.subsets?.[0];
	const ips = (subset?.addresses ?? []).map(({ ip }) => ip);
	// Without any there is nothing to tell it by.
	const isV6 = ips.length > 0 ? ips.every(isIpv6) : stored?.addressType === 'IPv6';
	const made = kubernetesEndpointSlice(isV6 ? '::' : '0.0.0.0', 0) as StoredSlice;
	const wanted = {
		addressType: made.addressType,
		endpoints: ips.filter((ip) => isIpv6(ip) === isV6).map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
		ports: (subset?.ports ?? []).map(({ name = '', port, protocol = 'TCP' }) => ({ name, port, protocol })),
	};
	if (stored === undefined || stored.addressType !== wanted.addressType) return { ...made, ...wanted };
	const { labels } = made.metadata;
	const isRight = sameButNulls(
		[stored.endpoints ?? [], stored.ports ?? [], stored.metadata.labels],
		[wanted.endpoints, wanted.ports, labels],
	);
	return isRight ? stored : { ...stored, ...wanted, metadata: { ...stored.metadata, ...(labels === undefined ? {} : { labels }) } };
}

/** In any order, none twice. */
function sameAddresses(some: readonly string[], others: readonly string[]): boolean {
	return some.length === others.length && new Set(some).size === some.length && some.every((one) => others.includes(one));
}

const isIpv6 = (ip: string): boolean => ip.includes(':');
