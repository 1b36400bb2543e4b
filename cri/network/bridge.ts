/** The built-in pod network: one Linux bridge a cluster, a veth pair a pod, masquerading and host ports by iptables. */
import { createHash } from 'node:crypto';
import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { messageOf } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { routes } from '../../host/interfaces.ts';
import type { PortMapping } from '../proto.ts';
import type { PodAddress } from '../state/records.ts';
import { Addresses } from './addresses.ts';
import { runCommand } from '../../host/command.ts';
import type { Helper } from './helper.ts';
import type { PodNetwork, PodPorts } from './pod-network.ts';
import { chainRules, jumps, type RuleNames } from './rules.ts';
import { formatSubnet, freeSubnet, gatewayOf, parseIp, parseSubnet, type Subnet } from './subnet.ts';

interface Deps {
	readonly helper: Helper;
	readonly clock: Clock;
	readonly log: Log;
}

const POD_INTERFACE = 'eth0';
const DEFAULT_MTU = 1500;

/** Names that two clusters of one machine never share; an interface name has at most 15 characters. */
export function bridgeName(clusterName: string, instance: string): string {
	return `kl-${createHash('sha256').update(`${clusterName}/${instance}`).digest('hex').slice(0, 8)}`;
}

export class BridgeNetwork implements PodNetwork {
	readonly #deps: Deps;
	readonly #subnet: Subnet;
	readonly #names: RuleNames;
	readonly #veths: string;
	readonly #ports = new Map<string, PodPorts>();
	/** Whose an address is, by the veth name that only one reservation has: a late second detach must not hit the next owner. */
	readonly #owners = new Map<string, string>();
	#addresses: Addresses;
	#problem: string | undefined = 'The pod network is not set up yet';
	#mtu = DEFAULT_MTU;
	#filtering: Promise<void> = Promise.resolve();

	constructor(bridge: string, subnet: string, deps: Deps) {
		this.#deps = deps;
		this.#subnet = parseSubnet(subnet);
		this.#addresses = new Addresses(this.#subnet);
		this.#veths = `v${bridge.slice('kl-'.length, 'kl-'.length + 6)}`;
		this.#names = {
			bridge,
			subnet: formatSubnet(this.#subnet),
			gateway: gatewayOf(this.#subnet),
			chain: `KUBELING-${bridge.slice('kl-'.length)}`,
		};
	}

	get gateway(): string {
		return this.#names.gateway;
	}
	get subnet(): string {
		return this.#names.subnet;
	}
	get bridge(): string {
		return this.#names.bridge;
	}
	problem(): string | undefined {
		return this.#problem;
	}

	async start(inUse: readonly PodPorts[]): Promise<void> {
		this.#addresses = new Addresses(
			this.#subnet,
			inUse.map((p) => p.address.ip),
		);
		for (const pod of inUse) {
			this.#owners.set(pod.address.ip, pod.address.veth);
			if (pod.ports.length > 0) this.#ports.set(pod.address.ip, pod);
		}
		try {
			this.#mtu = await routeMtu();
			await this.#makeBridge();
			await Promise.all([this.#makeRules(), this.#dropLeaked(new Set(inUse.map((p) => p.address.veth)))]);
			this.#problem = undefined;
		} catch (error) {
			this.#problem = messageOf(error);
			this.#deps.log.error('cannot set up the pod network', { error });
		}
	}

	reserve(): PodAddress {
		const ip = this.#addresses.take();
		const hex = parseIp(ip).toString(16).padStart(8, '0');
		const mac = `0a:58:${hex.match(/../g)?.join(':')}`;
		const veth = `${this.#veths}${this.#deps.clock.uuid().slice(0, 8)}`;
		this.#owners.set(ip, veth);
		return { ip, mac, veth };
	}

	async attach(pid: number, address: PodAddress, ports: readonly PortMapping[]): Promise<void> {
		const { helper } = this.#deps;
		const words = [
			pid,
			this.#names.bridge,
			address.veth,
			POD_INTERFACE,
			address.mac,
			address.ip,
			this.#subnet.prefix,
			this.gateway,
			this.#mtu,
		];
		const opened = ports.filter((p) => p.hostPort > 0);
		if (opened.length > 0) this.#ports.set(address.ip, { address, ports: opened });
		await Promise.all([helper.request('attach', ...words), opened.length > 0 ? this.#refillChains() : undefined]);
	}

	async detach(address: PodAddress): Promise<void> {
		if (this.#owners.get(address.ip) !== address.veth) return;
		this.#owners.delete(address.ip);
		const hadPorts = this.#ports.delete(address.ip);
		await Promise.all([this.#deps.helper.request('detach', address.veth), hadPorts ? this.#refillChains() : undefined]);
		this.#addresses.free(address.ip);
	}

	async stop(): Promise<void> {
		this.#deps.helper.stop();
		await this.#filtering.catch(() => {});
	}

	/** Removes bridge, veths, chains and jumps: the cluster is being deleted. */
	async destroy(): Promise<void> {
		const { bridge, chain } = this.#names;
		await this.#dropLeaked(new Set());
		await runCommand('ip', ['link', 'delete', bridge]).catch(() => {});
		for (const { table, from, rule } of jumps(this.#names))
			await runCommand('iptables', ['-w', '-t', table, '-D', from, ...rule]).catch(() => {});
		const chains = [
			['filter', 'FWD'],
			['filter', 'IN'],
			['nat', 'HP'],
			['nat', 'POST'],
		] as const;
		for (const [table, name] of chains)
			for (const flag of ['-F', '-X']) await runCommand('iptables', ['-w', '-t', table, flag, `${chain}-${name}`]).catch(() => {});
	}

	async #makeBridge(): Promise<void> {
		const { bridge, gateway } = this.#names;
		const exists = await access(`/sys/class/net/${bridge}`).then(
			() => true,
			() => false,
		);
		const lines = [
			...(exists ? [] : [`link add ${bridge} type bridge forward_delay 0 stp_state 0`]),
			`addr replace ${gateway}/${this.#subnet.prefix} brd + dev ${bridge}`,
			`link set ${bridge} mtu ${this.#mtu} up`,
		];
		await runCommand('ip', ['-batch', '-'], { input: `${lines.join('\n')}\n` });
		const sysctl = (path: string): Promise<void> => writeFile(`/proc/sys/net/ipv4/${path}`, '1');
		await Promise.all([sysctl('ip_forward'), sysctl(`conf/${bridge}/route_localnet`)]);
	}

	async #makeRules(): Promise<void> {
		await this.#refillChains();
		for (const { table, from, rule } of jumps(this.#names)) {
			const there = await runCommand('iptables', ['-w', '-t', table, '-C', from, ...rule]).then(
				() => true,
				() => false,
			);
			if (!there) await runCommand('iptables', ['-w', '-t', table, '-I', from, '1', ...rule]);
		}
	}

	/** One after the other, each with all host ports of its moment: the last one is always right. */
	#refillChains(): Promise<void> {
		const next = this.#filtering
			.catch(() => {})
			.then(
				async () =>
					void (await runCommand('iptables-restore', ['-w', '--noflush'], { input: chainRules(this.#names, [...this.#ports.values()]) })),
			);
		this.#filtering = next;
		return next;
	}

	async #dropLeaked(known: ReadonlySet<string>): Promise<void> {
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
	if (wanted !== undefined) return formatSubnet(parseSubnet(wanted));
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
		.map((r) => ({ base: parseIp(r.destination.split('/')[0] as string), prefix: Number(r.destination.split('/')[1]) }));
	for (const addresses of Object.values(networkInterfaces()))
		for (const a of addresses ?? []) if (a.family === 'IPv4') taken.push({ base: parseIp(a.address), prefix: 32 });
	return taken;
}

/** The MTU of the default route's interface: pods must not send what cannot leave. */
async function routeMtu(): Promise<number> {
	const found = (await routes()).find((r) => r.destination === '0.0.0.0/0');
	if (found === undefined) return DEFAULT_MTU;
	const mtu = Number(await readFile(`/sys/class/net/${found.interface}/mtu`, 'utf8').catch(() => DEFAULT_MTU));
	return mtu >= 576 && mtu < 65536 ? mtu : DEFAULT_MTU;
}
