/** What CRI says of a pod, as the capabilities of CNI plug-ins (CONVENTIONS.md of the specification) and as CNI_ARGS. Pure. */
import { AppError } from '../../../base/errors.ts';
import type { PodSandboxConfig } from '../../proto.ts';
import { familyOf } from '../../../base/ip.ts';
import { transportOf } from '../rules.ts';
import { bandwidthOf } from './bandwidth.ts';
import type { CapabilityArgs } from './operations.ts';

/** Comma-separated addresses that the pod wants, one of each family; plug-ins with the capability "ips" see them. */
export const IPS_ANNOTATION = 'cni.kubeling.dev/ips';

/** @param podSubnets the node's own ranges, where the control plane gave it some */
export function capabilityArgs(config: PodSandboxConfig, podSubnets: readonly string[]): CapabilityArgs {
	const { annotations, dnsConfig, portMappings, linux } = config;
	const ports = portMappings.flatMap(({ hostPort, containerPort, hostIp, ...port }) => {
		const protocol = transportOf({ hostPort, containerPort, hostIp, ...port });
		return hostPort <= 0 || protocol === undefined ? [] : [{ hostPort, containerPort, protocol, hostIP: hostIp }];
	});
	return defined({
		portMappings: ports.length === 0 ? undefined : ports,
		bandwidth: bandwidthOf(annotations),
		dns: dnsConfig && { servers: dnsConfig.servers, searches: dnsConfig.searches, options: dnsConfig.options },
		ips: wantedIps(annotations[IPS_ANNOTATION]),
		ipRanges: podSubnets.length === 0 ? undefined : podSubnets.map((subnet) => [{ subnet }]),
		cgroupPath: linux?.cgroupParent || undefined,
		// What containerd and CRI-O pass, under their name.
		'io.kubernetes.cri.pod-annotations': Object.keys(annotations).length === 0 ? undefined : annotations,
	});
}

/** In the order of upstream's runtimes. */
export function cniArgs(config: PodSandboxConfig, id: string): readonly (readonly [string, string])[] {
	const { namespace = '', name = '', uid = '' } = config.metadata ?? {};
	const args = [
		['IgnoreUnknown', '1'],
		['K8S_POD_NAMESPACE', namespace],
		['K8S_POD_NAME', name],
		['K8S_POD_INFRA_CONTAINER_ID', id],
		['K8S_POD_UID', uid],
	] as const;
	for (const [key, value] of args)
		if (/[;=\0]/.test(value)) throw new AppError('InvalidArgument', `Cannot pass ${key} "${value}" to CNI plug-ins: it has ";" or "="`);
	return args;
}

function wantedIps(annotation: string | undefined): readonly string[] | undefined {
	if (annotation === undefined) return undefined;
	const ips = annotation.split(',').map((ip) => ip.trim());
	const wrong = ips.find((ip) => familyOf(ip.split('/')[0] as string) === undefined);
	if (wrong !== undefined) throw new AppError('InvalidArgument', `Annotation ${IPS_ANNOTATION}: "${wrong}" is not an IPv4 or IPv6 address`);
	return ips;
}

function defined(args: CapabilityArgs): CapabilityArgs {
	return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}
