/**
 * The rules of a pod network as nftables, where there is no iptables: a table of our own a family, replaced whole in one transaction. A verdict
 * "accept" ends one base chain only, so the base chains of others (an engine's FORWARD with policy drop) get an accepting rule for our bridge,
 * known by its comment.
 */
import { runCommand } from '../../host/command.ts';
import { bracketed, type Family } from '../../base/ip.ts';
import type { PacketFilter } from './packet-filter.ts';
import { type Filtering, hairpins, redirects, type RuleNames, subnetsOf } from './rules.ts';
import { formatSubnet, gatewayOf } from './subnet.ts';

const TABLES: Readonly<Record<Family, 'ip' | 'ip6'>> = { 4: 'ip', 6: 'ip6' };

/** What `nft -j list` answers of chains and rules. */
interface Listed {
	readonly nftables: readonly {
		readonly chain?: {
			readonly family: string;
			readonly table: string;
			readonly name: string;
			readonly type?: string;
			readonly hook?: string;
		};
		readonly rule?: { readonly handle: number; readonly comment?: string };
	}[];
}
interface ForeignChain {
	readonly family: 'ip' | 'ip6' | 'inet';
	readonly table: string;
	readonly name: string;
	readonly hook: 'forward' | 'input';
}

export class Nftables implements PacketFilter {
	readonly name = 'nftables';
	readonly #names: RuleNames;
	readonly #families: readonly Family[];
	readonly #path: string;
	/** @param path of the program nft */
	constructor(names: RuleNames, families: readonly Family[], path: string) {
		this.#names = names;
		this.#families = families;
		this.#path = path;
	}

	async fill(filtering: Filtering): Promise<void> {
		await this.#run(this.#families.map((family) => tableText(family, filtering)).join(''));
	}

	async connect(filtering: Filtering): Promise<void> {
		for (const chain of await this.#foreign()) {
			const there = await this.#ours(chain);
			// Gateways may have changed since: what stands is replaced.
			await this.#run([...there.map((handle) => deletion(chain, handle)), ...openings(chain, filtering)].join(''));
		}
	}

	async remove(): Promise<void> {
		for (const family of this.#families) await this.#run(`delete table ${TABLES[family]} ${tableName(this.#names)}\n`).catch(() => {});
		for (const chain of await this.#foreign().catch(() => []))
			await this.#run((await this.#ours(chain)).map((handle) => deletion(chain, handle)).join('')).catch(() => {});
	}

	async #run(text: string): Promise<void> {
		if (text !== '') await runCommand(this.#path, ['-f', '-'], { input: text });
	}

	async #foreign(): Promise<readonly ForeignChain[]> {
		const { nftables } = JSON.parse(await runCommand(this.#path, ['-j', 'list', 'chains'])) as Listed;
		return nftables.flatMap(({ chain }) =>
			chain?.type === 'filter' &&
			(chain.hook === 'forward' || chain.hook === 'input') &&
			(chain.family === 'inet' || this.#families.some((f) => TABLES[f] === chain.family)) &&
			!chain.table.startsWith(TABLE_PREFIX)
				? [{ family: chain.family as ForeignChain['family'], table: chain.table, name: chain.name, hook: chain.hook }]
				: [],
		);
	}

	async #ours({ family, table, name }: ForeignChain): Promise<readonly number[]> {
		const { nftables } = JSON.parse(await runCommand(this.#path, ['-j', '-a', 'list', 'chain', family, table, name])) as Listed;
		return nftables.flatMap(({ rule }) => (rule?.comment === tableName(this.#names) ? [rule.handle] : []));
	}
}

const TABLE_PREFIX = 'kubeling-';

function tableName({ chain }: RuleNames): string {
	return chain.toLowerCase();
}

function deletion({ family, table, name }: ForeignChain, handle: number): string {
	return `delete rule ${family} ${table} ${name} handle ${handle}\n`;
}

/** Pure: the rules that another's base chain gets, put first. */
export function openings({ family, table, name, hook }: ForeignChain, filtering: Filtering): readonly string[] {
	const { bridge } = filtering;
	const insert = (rule: string): string => `insert rule ${family} ${table} ${name} ${rule} accept comment "${tableName(filtering)}"\n`;
	if (hook === 'forward') return [insert(`iifname "${bridge}"`), insert(`oifname "${bridge}"`)];
	const families = ([4, 6] as const).filter((f) => family === 'inet' || family === TABLES[f]);
	return families.flatMap((f) => [
		...subnetsOf(f, filtering).map((s) => insert(`iifname "${bridge}" ${TABLES[f]} daddr ${gatewayOf(s)}`)),
		...(f === 6 && subnetsOf(6, filtering).length > 0 ? [insert(`iifname "${bridge}" meta l4proto ipv6-icmp`)] : []),
	]);
}

/** Pure: our table of one family, as `nft -f` takes it; made, dropped and made again, so that nothing old stays. */
export function tableText(family: Family, filtering: Filtering): string {
	const { bridge, pods } = filtering;
	const ip = TABLES[family];
	const table = `${ip} ${tableName(filtering)}`;
	const chain = (name: string, hook: string, rules: readonly string[]): string =>
		`\tchain ${name} {\n${[hook, ...rules]
			.filter(Boolean)
			.map((l) => `\t\t${l}\n`)
			.join('')}\t}\n`;
	const nat = (hook: string, priority: number): string => `type nat hook ${hook} priority ${priority}; policy accept;`;
	return [
		`add table ${table}\ndelete table ${table}\ntable ${table} {\n`,
		chain(
			'ports',
			'',
			redirects(family, pods).map(
				(r) =>
					`${r.hostIp === undefined ? '' : `${ip} daddr ${r.hostIp} `}${r.transport} dport ${r.hostPort} dnat to ${bracketed(r.ip)}:${r.port}`,
			),
		),
		// Before whatever others translate at the usual priorities (-100 and 100).
		chain('prerouting', nat('prerouting', -105), ['fib daddr type local jump ports']),
		chain('output', nat('output', -105), ['fib daddr type local jump ports']),
		chain('postrouting', nat('postrouting', 95), [
			...subnetsOf(family, filtering).map(
				(s) => `${ip} saddr ${formatSubnet(s)} ${ip} daddr != ${formatSubnet(s)} oifname != "${bridge}" masquerade`,
			),
			...(family === 4 ? [`ip saddr 127.0.0.0/8 oifname "${bridge}" masquerade`] : []),
			...hairpins(family, pods).map((address) => `${ip} saddr ${address} ${ip} daddr ${address} masquerade`),
		]),
		...(family === 4
			? [
					chain('input', 'type filter hook input priority -5; policy accept;', [
						// As in iptables.ts: route_localnet must not open the host's loopback.
						`iifname "${bridge}" ip daddr 127.0.0.0/8 ct state != { established, related } ct status & dnat == 0 drop`,
					]),
				]
			: []),
		'}\n',
	].join('');
}
