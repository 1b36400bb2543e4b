/** The Linux bridge itself: made, given the host's addresses on the pods' networks, and removed. Every step may be repeated. */
import { access, readFile, writeFile } from 'node:fs/promises';
import { ignore } from '../../base/errors.ts';
import { runCommand } from '../../host/command.ts';
import { familyOf, parseIp } from '../../base/ip.ts';
import { formatSubnet, gatewayOf, networkOf, type Subnet } from './subnet.ts';

interface ListedLink {
	readonly addr_info?: readonly { readonly local?: string; readonly prefixlen?: number; readonly scope?: string }[];
}

const SYSCTL = '/proc/sys/net';

/** Whether this kernel has IPv6 and the administrator has not turned it off. */
export async function hasIpv6(): Promise<boolean> {
	return (await readFile(`${SYSCTL}/ipv6/conf/all/disable_ipv6`, 'utf8').catch(() => '1')).trim() === '0';
}

/** The networks that the bridge has an address on; none where there is no bridge. */
export async function bridgeSubnets(bridge: string): Promise<readonly Subnet[]> {
	if (!(await exists(bridge))) return [];
	const links = JSON.parse(await runCommand('ip', ['-j', 'address', 'show', 'dev', bridge])) as readonly ListedLink[];
	return links
		.flatMap((l) => l.addr_info ?? [])
		.flatMap(({ local = '', prefixlen = 0, scope }) => {
			const family = familyOf(local);
			return family === undefined || scope !== 'global' ? [] : [networkOf(family, parseIp(local), prefixlen)];
		});
}

/** Makes the bridge with the first address of each network, takes addresses of other networks away, and lets this host forward. */
export async function makeBridge(bridge: string, subnets: readonly Subnet[], mtu: number): Promise<void> {
	const ipv6 = subnets.some((s) => s.family === 6);
	const before = await bridgeSubnets(bridge);
	if (!(await exists(bridge))) await batch([`link add ${bridge} type bridge forward_delay 0 stp_state 0`]);
	await Promise.all([
		set('ipv4/ip_forward', '1'),
		set(`ipv4/conf/${bridge}/route_localnet`, '1'),
		...(ipv6 ? [forward6(), set(`ipv6/conf/${bridge}/disable_ipv6`, '0'), set(`ipv6/conf/${bridge}/accept_ra`, '0')] : []),
	]);
	const wanted = new Set(subnets.map(formatSubnet));
	await batch([
		...before.filter((s) => !wanted.has(formatSubnet(s))).map((s) => `addr del ${gatewayOf(s)}/${s.prefix} dev ${bridge}`),
		...subnets.map(
			(s) => `addr replace ${gatewayOf(s)}/${s.prefix} ${s.family === 4 ? 'brd + ' : ''}dev ${bridge}${s.family === 6 ? ' nodad' : ''}`,
		),
		`link set ${bridge} mtu ${mtu} up`,
	]);
}

/** Nothing there is success. */
export async function removeBridge(bridge: string): Promise<void> {
	if (await exists(bridge)) await runCommand('ip', ['link', 'delete', bridge]).catch(ignore('Internal'));
}

/** A host that forwards listens to no router any more, unless told to (accept_ra 2): one that got its default route from a router must. */
async function forward6(): Promise<void> {
	const routes = await readFile('/proc/net/ipv6_route', 'utf8').catch(() => '');
	for (const uplink of routedUplinks(routes)) {
		const path = `ipv6/conf/${uplink}/accept_ra`;
		if ((await readFile(`${SYSCTL}/${path}`, 'utf8').catch(() => '')).trim() === '1') await set(path, '2');
	}
	await set('ipv6/conf/all/forwarding', '1');
}

/** RTF_ADDRCONF of linux/ipv6_route.h: made by a router's advertisement. */
const FROM_ROUTER = 0x00040000;

/** Pure: interfaces whose default route a router advertised, from the text of /proc/net/ipv6_route. */
export function routedUplinks(text: string): readonly string[] {
	return text
		.split('\n')
		.map((line) => line.trim().split(/\s+/))
		.filter((f) => /^0+$/.test(f[0] ?? '') && f[1] === '00' && (Number.parseInt(f[8] ?? '0', 16) & FROM_ROUTER) !== 0)
		.map((f) => f[9] as string);
}

function exists(bridge: string): Promise<boolean> {
	return access(`/sys/class/net/${bridge}`).then(
		() => true,
		() => false,
	);
}

async function batch(lines: readonly string[]): Promise<void> {
	await runCommand('ip', ['-batch', '-'], { input: `${lines.join('\n')}\n` });
}

async function set(path: string, value: string): Promise<void> {
	await writeFile(`${SYSCTL}/${path}`, value);
}
