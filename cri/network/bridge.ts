/** The built-in pod network: one Linux bridge a cluster, a veth pair a pod, IPv4, IPv6 or both; packet filter rules masquerade and open host ports. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { messageOf } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { routes } from '../../host/interfaces.ts';
import { type PortMapping, Protocol } from '../proto.ts';
import type { BridgeAddress } from '../state/records.ts';
import { Addresses } from './addresses.ts';
import { packetFilter } from './choose-filter.ts';
import { bridgeSubnets, hasIpv6, makeBridge, removeBridge } from './bridge-link.ts';
import type { Helper } from './helper.ts';
import { hexIp, parseIp } from '../../base/ip.ts';
import type { PacketFilter, PacketFilterName } from './packet-filter.ts';
import type { KnownPod, MadePod, Namespace, PodNetwork } from './pod-network.ts';
import type { Filtering, PodPorts, RuleNames } from './rules.ts';
import { contains, formatSubnet, formatSubnets, freeSubnet, gatewayOf, networkOf, overlaps, parseSubnets, type Subnet } from './subnet.ts';

interface Deps {
	readonly helper: Helper;
	readonly clock: Clock;
	readonly log: Log;
	/** Iptables where there is, unless told. */
	readonly filter?: PacketFilterName | undefined;
}

const POD_INTERFACE = 'eth0';
const DEFAULT_MTU = 1500;

/** Names that two clusters of one machine never share; an interface name has at most 15 characters. */
export function bridgeName(clusterName: string, instance: string): string {
	return `kl-${createHash('sha256').update(`${clusterName}/${instance}`).digest('hex').slice(0, 8)}`;
}

export class BridgeNetwork implements PodNetwork<BridgeAddress> {
	readonly #deps: Deps;
	readonly #names: RuleNames;
	readonly #veths: string;
	/** By the first address of the pod. */
	readonly #ports = new Map<string, PodPorts>();
	/** Whose an address is, by the veth name that only one reservation has: a late second detach must not hit the next owner. */
	readonly #owners = new Map<string, BridgeAddress>();
	#subnets: readonly Subnet[];
	/** Networks that are no longer given out and that pods still have addresses of. */
	#older: readonly Subnet[] = [];
	#pools: readonly Addresses[] = [];
	#filter: PacketFilter | undefined;
	#problem: string | undefined = 'The pod network is not set up yet';
	#mtu = DEFAULT_MTU;
	#filtering: Promise<void> = Promise.resolve();

	/** @param subnets as in a node's podCIDRs: one network, or one of each family */
	constructor(bridge: string, subnets: string, deps: Deps) {
		this.#deps = deps;
		this.#subnets = parseSubnets(subnets);
		this.#veths = `v${bridge.slice('kl-'.length, 'kl-'.length + 6)}`;
		this.#names = { bridge, chain: `KUBELING-${bridge.slice('kl-'.length)}` };
	}

	/** Address of the host on the pods' network; its first one. */
	get gateway(): string {
		return gatewayOf(this.#subnets[0] as Subnet);
	}
	get subnet(): string {
		return formatSubnets(this.#subnets);
	}
	get bridge(): string {
		return this.#names.bridge;
	}

	async start(pods: readonly KnownPod[]): Promise<void> {
		for (const { address, pid, config } of pods) {
			if (address.kind !== 'bridge' || pid === undefined) continue;
			const ip = address.ips[0] as string;
			this.#owners.set(ip, address);
			const ports = config.portMappings.filter((p) => p.hostPort > 0);
			if (ports.length > 0) this.#ports.set(ip, { ips: address.ips, ports });
		}
		await this.#use(this.#subnets);
		await this.#dropLeaked().catch((error: unknown) => this.#deps.log.warn('cannot remove leaked interfaces', { error }));
	}

	/** Gives out addresses of these networks from now on; pods keep what they have. */
	async use(subnets: string): Promise<void> {
		await this.#use(parseSubnets(subnets));
	}

	/** Makes bridge and rules again where others took them away. */
	async refresh(): Promise<void> {
		await this.#setUp();
	}

	async problem(): Promise<string | undefined> {
		if (this.#problem !== undefined) await this.#setUp();
		return this.#problem;
	}

	reserve(): BridgeAddress {
		const ips: string[] = [];
		try {
			for (const pool of this.#pools) ips.push(pool.take());
		} catch (error) {
			this.#free(ips);
			throw error;
		}
		const [ip = ''] = ips;
		const mac = `0a:58:${hexIp(ip).slice(-8).match(/../g)?.join(':')}`;
		const veth = `${this.#veths}${this.#deps.clock.uuid().slice(0, 8)}`;
		const address: BridgeAddress = { kind: 'bridge', ips, mac, veth };
		this.#owners.set(ip, address);
		return address;
	}

	async attach({ config }: MadePod, { pid }: Namespace, address: BridgeAddress): Promise<BridgeAddress> {
		const { ips, veth, mac } = address;
		const pairs = ips.flatMap((ip) => {
			const subnet = [...this.#subnets, ...this.#older].find((s) => contains(s, ip)) as Subnet;
			return [`${hexIp(ip)}/${subnet.prefix}`, hexIp(gatewayOf(subnet))];
		});
		const ports = config.portMappings.filter((p) => p.hostPort > 0);
		if (ports.length > 0) this.#ports.set(ips[0] as string, { ips, ports });
		await Promise.all([
			this.#deps.helper.request('attach', pid, this.#names.bridge, veth, POD_INTERFACE, mac, this.#mtu, ...pairs),
			ports.length > 0 ? this.#redirect(ports) : undefined,
		]);
		return address;
	}

	async detach(_pod: MadePod, { ips, veth }: BridgeAddress): Promise<void> {
		const ip = ips[0] as string;
		if (this.#owners.get(ip)?.veth !== veth) return;
		this.#owners.delete(ip);
		const had = this.#ports.get(ip);
		this.#ports.delete(ip);
		await Promise.all([this.#deps.helper.request('detach', veth), had === undefined ? undefined : this.#redirect(had.ports)]);
		this.#free(ips);
	}

	async stop(): Promise<void> {
		this.#deps.helper.stop();
		await this.#filtering.catch(() => {});
	}

	/** Removes bridge, veths and rules: the cluster is being deleted. */
	async destroy(): Promise<void> {
		this.#owners.clear();
		await this.#dropLeaked();
		await removeBridge(this.#names.bridge);
		const filters = await Promise.allSettled(
			(['iptables', 'nftables'] as const).map((wanted) => packetFilter(this.#names, [4, 6], wanted)),
		);
		for (const filter of filters) if (filter.status === 'fulfilled') await filter.value.remove().catch(() => {});
	}

	async #use(subnets: readonly Subnet[]): Promise<void> {
		const usable = (await hasIpv6()) ? subnets : subnets.filter((s) => s.family === 4);
		if (usable.length < subnets.length)
			this.#deps.log.warn('this host has no IPv6: pods get IPv4 addresses only', { subnets: formatSubnets(subnets) });
		const used = [...this.#owners.values()].flatMap((o) => o.ips);
		const before = [...this.#older, ...(await bridgeSubnets(this.#names.bridge).catch(() => []))];
		this.#subnets = usable.length === 0 ? subnets : usable;
		const kept = before.filter((s) => !this.#subnets.some((now) => overlaps(now, s)) && used.some((ip) => contains(s, ip)));
		this.#older = [...new Map(kept.map((s) => [formatSubnet(s), s] as const)).values()];
		this.#pools = this.#subnets.map((subnet) => new Addresses(subnet, used));
		this.#filter = undefined;
		await this.#setUp();
	}

	async #setUp(): Promise<void> {
		try {
			this.#mtu = await routeMtu();
			const subnets = this.#filtered().subnets;
			await makeBridge(this.#names.bridge, subnets, this.#mtu);
			const families = [...new Set(subnets.map((s) => s.family))];
			this.#filter ??= await packetFilter(this.#names, families, this.#deps.filter);
			await this.#refill();
			await this.#filter.connect(this.#filtered());
			this.#problem = undefined;
		} catch (error) {
			if (this.#problem !== messageOf(error)) this.#deps.log.error('cannot set up the pod network', { error });
			this.#problem = messageOf(error);
		}
	}

	#filtered(): Filtering {
		return { ...this.#names, subnets: [...this.#subnets, ...this.#older], pods: [...this.#ports.values()] };
	}

	/** For ports that lead elsewhere from now on. Conversations that the kernel remembers do not ask the rules again, and UDP has no other end. */
	async #redirect(ports: readonly PortMapping[]): Promise<void> {
		await this.#refill();
		const udp = new Set(ports.filter((p) => p.protocol === Protocol.UDP).map((p) => p.hostPort));
		if (udp.size === 0) return;
		await this.#deps.helper.request('forget', ...udp).catch((error: unknown) => {
			this.#deps.log.warn('UDP senders may still be led to a pod that has gone', { ports: [...udp], error: messageOf(error) });
		});
	}

	/** One after the other, each with all host ports of its moment: the last one is always right. */
	#refill(): Promise<void> {
		const next = this.#filtering.catch(() => {}).then(() => this.#filter?.fill(this.#filtered()));
		this.#filtering = next;
		return next;
	}

	#free(ips: readonly string[]): void {
		for (const ip of ips) for (const pool of this.#pools) pool.free(ip);
	}

	async #dropLeaked(): Promise<void> {
		const known = new Set([...this.#owners.values()].map((o) => o.veth));
		const ours = (await readdir('/sys/class/net')).filter((name) => name.startsWith(this.#veths) && name.length === this.#veths.length + 8);
		await Promise.all(ours.filter((name) => !known.has(name)).map((name) => this.#deps.helper.request('detach', name)));
	}
}

/**
 * The network asked for, or the first free of the host's routes and addresses that can be reserved; one that exists already keeps its own.
 */
export async function chooseSubnet(
	wanted: string | undefined,
	saved: string | undefined,
	reserve: (subnet: string) => Promise<boolean> = () => Promise.resolve(true),
): Promise<string> {
	if (wanted !== undefined) return formatSubnets(parseSubnets(wanted));
	if (saved !== undefined) {
		await reserve(saved);
		return saved;
	}
	const refused: Subnet[] = [];
	for (;;) {
		const free = freeSubnet([...(await subnetsInUse()), ...refused]);
		if (await reserve(formatSubnet(free))) return formatSubnet(free);
		refused.push(free);
	}
}

async function subnetsInUse(): Promise<readonly Subnet[]> {
	const taken = (await routes())
		.filter((r) => r.destination !== '0.0.0.0/0')
		.map((r) => r.destination.split('/'))
		.map(([address = '', prefix]) => networkOf(4, parseIp(address), Number(prefix)));
	for (const addresses of Object.values(networkInterfaces()))
		for (const a of addresses ?? []) if (a.family === 'IPv4') taken.push(networkOf(4, parseIp(a.address), 32));
	return taken;
}

/** The MTU of the default route's interface: pods must not send what cannot leave. */
async function routeMtu(): Promise<number> {
	const found = (await routes()).find((r) => r.destination === '0.0.0.0/0');
	if (found === undefined) return DEFAULT_MTU;
	const mtu = Number(await readFile(`/sys/class/net/${found.interface}/mtu`, 'utf8').catch(() => DEFAULT_MTU));
	return mtu >= 576 && mtu < 65536 ? mtu : DEFAULT_MTU;
}
