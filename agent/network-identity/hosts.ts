/** The hosts file that the agent manages for a pod. Pure. */
import type { HostAlias } from '../../api/gen/types.ts';

const LOCAL = `127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
`;

export function hostsFile(ips: readonly string[], hostname: string, fqdn: string, aliases: readonly HostAlias[]): string {
	const names = fqdn === '' ? hostname : `${fqdn}\t${hostname}`;
	return `# Kubernetes-managed hosts file.\n${LOCAL}${ips.map((ip) => `${ip}\t${names}\n`).join('')}${aliasBlock(aliases)}`;
}

/** On the host network: the node's own file below a header. */
export function hostNetworkHostsFile(nodeHosts: string, aliases: readonly HostAlias[]): string {
	return `# Kubernetes-managed hosts file (host network).\n${nodeHosts}${aliasBlock(aliases)}`;
}

function aliasBlock(aliases: readonly HostAlias[]): string {
	if (aliases.length === 0) return '';
	return `\n# Entries added by HostAliases.\n${aliases.map((a) => `${a.ip}\t${(a.hostnames ?? []).join('\t')}\n`).join('')}`;
}
