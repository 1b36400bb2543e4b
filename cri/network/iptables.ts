/** The rules of a pod network as iptables and ip6tables, in chains of our own that jumps from the system's chains lead to. */
import { runCommand } from '../../host/command.ts';
import { bracketed, type Family } from '../../base/ip.ts';
import type { PacketFilter } from './packet-filter.ts';
import { type Filtering, hairpins, redirects, type RuleNames, subnetsOf } from './rules.ts';
import { formatSubnet, gatewayOf } from './subnet.ts';

interface Jump {
	readonly table: string;
	readonly from: string;
	readonly rule: readonly string[];
}

const COMMANDS: Readonly<Record<Family, string>> = { 4: 'iptables', 6: 'ip6tables' };
const CHAINS = [
	['filter', 'FWD'],
	['filter', 'IN'],
	['nat', 'HP'],
	['nat', 'POST'],
] as const;

export class Iptables implements PacketFilter {
	readonly name = 'iptables';
	readonly #names: RuleNames;
	readonly #families: readonly Family[];
	constructor(names: RuleNames, families: readonly Family[]) {
		this.#names = names;
		this.#families = families;
	}

	async fill(filtering: Filtering): Promise<void> {
		await Promise.all(
			this.#families.map((family) =>
				runCommand(`${COMMANDS[family]}-restore`, ['-w', '--noflush'], { input: chainRules(family, filtering) }),
			),
		);
	}

	async connect(): Promise<void> {
		for (const family of this.#families) {
			const iptables = COMMANDS[family];
			const input = missingJumps(this.#names, await runCommand(`${iptables}-save`, []));
			if (input !== '') await runCommand(`${iptables}-restore`, ['-w', '--noflush'], { input });
		}
	}

	async remove(): Promise<void> {
		for (const family of this.#families) {
			const iptables = COMMANDS[family];
			for (const { table, from, rule } of jumps(this.#names)) await succeeds(iptables, ['-w', '-t', table, '-D', from, ...rule]);
			for (const [table, name] of CHAINS)
				for (const flag of ['-F', '-X']) await succeeds(iptables, ['-w', '-t', table, flag, `${this.#names.chain}-${name}`]);
		}
	}
}

function succeeds(command: string, args: readonly string[]): Promise<boolean> {
	return runCommand(command, args).then(
		() => true,
		() => false,
	);
}

/** Pure: our chains, emptied and filled again, as restore input; declaring a chain under --noflush empties just that one. */
export function chainRules(family: Family, filtering: Filtering): string {
	const { bridge, chain, pods } = filtering;
	const subnets = subnetsOf(family, filtering);
	const all = family === 4 ? 32 : 128;
	return [
		'*filter',
		`:${chain}-FWD - [0:0]`,
		`:${chain}-IN - [0:0]`,
		`-A ${chain}-FWD -i ${bridge} -j ACCEPT`,
		`-A ${chain}-FWD -o ${bridge} -j ACCEPT`,
		// route_localnet opens the host's loopback to who sends to 127.0.0.1 over the bridge: only answers may come that way.
		...(family === 4
			? [`-A ${chain}-IN -i ${bridge} -d 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP`]
			: [`-A ${chain}-IN -i ${bridge} -p ipv6-icmp -j ACCEPT`]),
		...subnets.map((s) => `-A ${chain}-IN -i ${bridge} -d ${gatewayOf(s)}/${all} -j ACCEPT`),
		'COMMIT',
		'*nat',
		`:${chain}-HP - [0:0]`,
		`:${chain}-POST - [0:0]`,
		...redirects(family, pods).map(
			({ transport, hostIp, hostPort, ip, port }) =>
				`-A ${chain}-HP ${hostIp === undefined ? '' : `-d ${hostIp}/${all} `}-p ${transport} -m ${transport} --dport ${hostPort} -j DNAT --to-destination ${bracketed(ip)}:${port}`,
		),
		...subnets.map((s) => `-A ${chain}-POST -s ${formatSubnet(s)} ! -d ${formatSubnet(s)} ! -o ${bridge} -j MASQUERADE`),
		...(family === 4 ? [`-A ${chain}-POST -s 127.0.0.0/8 -o ${bridge} -j MASQUERADE`] : []),
		...hairpins(family, pods).map((ip) => `-A ${chain}-POST -s ${ip}/${all} -d ${ip}/${all} -j MASQUERADE`),
		'COMMIT',
		'',
	].join('\n');
}

/** Pure: restore input for the jumps that are not in what `iptables-save` said; empty when none is missing. Two commands in all, where asking for each jump takes ten. */
export function missingJumps(names: RuleNames, saved: string): string {
	const lines = saved.split('\n');
	const missing = jumps(names).filter(({ from, rule }) => !lines.some((l) => l.startsWith(`-A ${from} `) && l.endsWith(` ${rule.at(-1)}`)));
	const tables = [...new Set(missing.map(({ table }) => table))];
	return tables
		.map((table) => {
			const inserts = missing.filter((jump) => jump.table === table).map(({ from, rule }) => `-I ${from} 1 ${rule.join(' ')}`);
			return [`*${table}`, ...inserts, 'COMMIT', ''].join('\n');
		})
		.join('');
}

/** The jumps to our chains. Put first, so that a FORWARD policy or another's rule does not come before. */
function jumps({ chain }: RuleNames): readonly Jump[] {
	return [
		{ table: 'filter', from: 'FORWARD', rule: ['-j', `${chain}-FWD`] },
		{ table: 'filter', from: 'INPUT', rule: ['-j', `${chain}-IN`] },
		{ table: 'nat', from: 'PREROUTING', rule: ['-m', 'addrtype', '--dst-type', 'LOCAL', '-j', `${chain}-HP`] },
		{ table: 'nat', from: 'OUTPUT', rule: ['-m', 'addrtype', '--dst-type', 'LOCAL', '-j', `${chain}-HP`] },
		{ table: 'nat', from: 'POSTROUTING', rule: ['-j', `${chain}-POST`] },
	];
}
