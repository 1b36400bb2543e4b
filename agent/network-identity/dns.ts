/** The resolver settings of a pod. Pure. */
import type { Pod } from '../../api/gen/types.ts';

export interface DnsConfig {
	readonly servers: readonly string[];
	readonly searches: readonly string[];
	readonly options: readonly string[];
}

export interface DnsSettings {
	/** Addresses of the cluster's DNS; empty where there is none. */
	readonly clusterDns: readonly string[];
	readonly clusterDomain: string;
	/** The node's own. */
	readonly host: DnsConfig;
}

export interface DnsWarning {
	readonly reason: string;
	/** About the pod. */
	readonly message: string;
	/** About the node, where it is its fault. */
	readonly ofNode?: string;
}

export interface DnsResult extends DnsConfig {
	/** Events to record. */
	readonly warnings: readonly DnsWarning[];
}

/** Upstream's limits. */
const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARS = 2048;
/** Of one search path: glibc aborts at longer ones. */
const MAX_PATH_CHARS = 253;

export function dnsOf(pod: Pod, settings: DnsSettings): DnsResult {
	const warnings: DnsWarning[] = [];
	const { clusterDns, clusterDomain, host } = settings;
	let policy = pod.spec?.dnsPolicy ?? 'ClusterFirst';
	if (policy === 'ClusterFirst' && pod.spec?.hostNetwork === true) policy = 'Default';
	if (policy === 'ClusterFirstWithHostNet') policy = 'ClusterFirst';
	if (policy === 'ClusterFirst' && clusterDns.length === 0) {
		const { name = '', namespace = '', uid = '' } = pod.metadata;
		const ofNode =
			'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';
		warnings.push({ reason: 'MissingClusterDNS', message: `pod: "${name}_${namespace}(${uid})". ${ofNode}`, ofNode });
		policy = 'Default';
	}
	const base =
		policy === 'None'
			? { servers: [], searches: [], options: [] }
			: policy === 'Default'
				? host
				: clusterFirst(pod, clusterDns, clusterDomain, host);
	const own = pod.spec?.dnsConfig;
	const options = new Map(base.options.map((o) => [o.split(':')[0] ?? o, o]));
	for (const { name = '', value } of own?.options ?? []) options.set(name, value === undefined ? name : `${name}:${value}`);
	const servers = unique([...base.servers, ...(own?.nameservers ?? [])]);
	const searches = unique([...base.searches, ...(own?.searches ?? [])]);
	return { ...limited(servers, searches, warnings), options: [...options.values()], warnings };
}

function clusterFirst(pod: Pod, servers: readonly string[], domain: string, host: DnsConfig): DnsConfig {
	const namespace = pod.metadata.namespace ?? '';
	// Of a node without a resolver nothing is searched besides.
	const above = host.searches.filter((path) => path !== '.');
	const searches = domain === '' ? above : [`${namespace}.svc.${domain}`, `svc.${domain}`, domain, ...above];
	return { servers, searches, options: ['ndots:5'] };
}

function limited(servers: readonly string[], searches: readonly string[], warnings: DnsWarning[]): Omit<DnsConfig, 'options'> {
	const keptServers = servers.slice(0, MAX_SERVERS);
	if (servers.length > MAX_SERVERS) {
		const message = `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${keptServers.join(' ')}`;
		warnings.push({ reason: 'DNSConfigForming', message });
	}
	const keptSearches = searches.slice(0, MAX_SEARCHES).filter((path) => path.length <= MAX_PATH_CHARS);
	while (keptSearches.join(' ').length > MAX_SEARCH_CHARS) keptSearches.pop();
	if (keptSearches.length < searches.length) {
		const message = `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${keptSearches.join(' ')}`;
		warnings.push({ reason: 'DNSConfigForming', message });
	}
	return { servers: keptServers, searches: keptSearches };
}

/** A resolv.conf as upstream's kubelet reads it: comments begin lines, the last search counts, options add up, each once. */
export function parseResolvConf(text: string): DnsConfig {
	const servers: string[] = [];
	let searches: string[] = [];
	const options = new Map<string, string>();
	for (const line of text.split('\n')) {
		const [word = '', ...values] = line.trim().split(/\s+/);
		if (word.startsWith('#')) continue;
		if (word === 'nameserver' && values[0] !== undefined) servers.push(values[0]);
		else if (word === 'search') searches = values.filter((path) => path !== '.').map((path) => path.replace(/\.$/, ''));
		else if (word === 'options') for (const option of values) options.set(option.split(':')[0] ?? option, option);
	}
	return { servers, searches, options: [...options.values()] };
}

/** What of the node's own resolv.conf pods would not be given beside the cluster's three search paths; undefined where it all fits. Upstream's words. */
export function resolvConfFault(file: string, { searches }: DnsConfig, clusterDomain: string): string | undefined {
	const most = MAX_SEARCHES - (clusterDomain === '' ? 0 : 3);
	if (searches.length > most) return `Resolv.conf file '${file}' contains search line consisting of more than ${most} domains!`;
	if (searches.some((path) => path.length > MAX_PATH_CHARS))
		return `Resolv.conf file "${file}" contains a search path which length is more than allowed ${MAX_PATH_CHARS} chars!`;
	if (searches.join(' ').length > MAX_SEARCH_CHARS)
		return `Resolv.conf file '${file}' contains search line which length is more than allowed ${MAX_SEARCH_CHARS} chars!`;
	return undefined;
}

/** Of a node that is told of no resolv.conf: no names but the node's own. @param nodeIps decide the family of its addresses */
export function noResolver(nodeIps: readonly string[]): DnsConfig {
	const servers = nodeIps.map((ip) => (ip.includes(':') ? '::1' : '127.0.0.1'));
	return { servers: servers.length === 0 ? ['127.0.0.1'] : servers, searches: ['.'], options: [] };
}

function unique(values: readonly string[]): readonly string[] {
	return [...new Set(values)];
}
