/** Which packet filter there is: iptables where it is installed, since engines use it, else nftables. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { Iptables } from './iptables.ts';
import type { Family } from '../../base/ip.ts';
import { Nftables } from './nftables.ts';
import type { PacketFilter, PacketFilterName } from './packet-filter.ts';
import type { RuleNames } from './rules.ts';

/** Throws FailedPrecondition where there is neither, or not the one asked for. */
export async function packetFilter(
	names: RuleNames,
	families: readonly Family[],
	wanted: PacketFilterName | undefined,
): Promise<PacketFilter> {
	const commands = families.map((f) => (f === 4 ? 'iptables-restore' : 'ip6tables-restore'));
	if (wanted !== 'nftables' && (await Promise.all(commands.map(find))).every(Boolean)) return new Iptables(names, families);
	const nft = wanted === 'iptables' ? undefined : await find('nft');
	if (nft !== undefined) return new Nftables(names, families, nft);
	throw new AppError('FailedPrecondition', `Cannot find ${wanted ?? 'iptables or nftables'}: install one of them for the pod network`);
}

/** The system's own folders come first: development tools (npm's) may have other programs of these names. */
async function find(command: string): Promise<string | undefined> {
	const folders = ['/usr/sbin', '/sbin', '/usr/bin', '/bin', ...(process.env['PATH'] ?? '').split(':')].filter(Boolean);
	for (const dir of folders) {
		const path = join(dir, command);
		const there = await access(path).then(
			() => true,
			() => false,
		);
		if (there) return path;
	}
	return undefined;
}
