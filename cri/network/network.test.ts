/** The pure parts of the pod network, as tables, and how its helper answers. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { type DNSConfig, type PortMapping, Protocol } from '../proto.ts';
import { Addresses } from './addresses.ts';
import { routedUplinks } from './bridge-link.ts';
import { engineIps, enginePorts } from './engine-network.ts';
import { Helper, installHelper } from './helper.ts';
import { HostPorts } from './host-ports.ts';
import { formatIp, hexIp, parseIp } from '../../base/ip.ts';
import { chainRules, missingJumps } from './iptables.ts';
import { openings, tableText } from './nftables.ts';
import { hasLoopbackServersOnly, resolvConfOf } from './resolv-conf.ts';
import { hairpins, redirects } from './rules.ts';
import { contains, formatSubnet, freeSubnet, gatewayOf, localSubnet6, networkOf, parseSubnet, parseSubnets } from './subnet.ts';

for (const [text, canonical] of [
	['10.0.0.1', '10.0.0.1'],
	['255.255.255.255', '255.255.255.255'],
	['::', '::'],
	['::1', '::1'],
	['FD00:0:0:1::0:2', 'fd00:0:0:1::2'],
	['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
	['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
	['::ffff:10.1.2.3', '::ffff:a01:203'],
	['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
] as const)
	test(`address ${text}`, (t) => t.is(formatIp(text.includes(':') ? 6 : 4, parseIp(text)), canonical));
for (const bad of ['', '300.0.0.0', '1.2.3', 'fe80::1%eth0', 'x', ':::'])
	test(`"${bad}" is no address`, (t) => void t.throws(() => parseIp(bad), { code: 'InvalidArgument' }));
test('addresses for the helper', (t) => {
	t.is(hexIp('10.0.0.2'), '0a000002');
	t.is(hexIp('fd00::2'), 'fd000000000000000000000000000002');
});

test('subnets: the first free of what the host uses; bad ones are refused', (t) => {
	t.is(formatSubnet(freeSubnet([])), '10.244.0.0/24');
	t.is(formatSubnet(freeSubnet([parseSubnet('10.244.0.0/16')])), '10.245.0.0/24');
	t.is(formatSubnet(freeSubnet([networkOf(4, parseIp('10.244.0.1'), 32)])), '10.244.1.0/24');
	t.is(formatSubnet(parseSubnet('10.1.2.3/16')), '10.1.0.0/16');
	t.is(formatSubnet(parseSubnet('fd00:1::2:3/64')), 'fd00:1::/64');
	t.is(gatewayOf(parseSubnet('fd00:1::/64')), 'fd00:1::1');
	t.true(contains(parseSubnet('fd00:1::/64'), 'fd00:1::ffff'));
	t.false(contains(parseSubnet('10.0.0.0/24'), 'fd00:1::ffff'));
	for (const bad of ['10.0.0.0', '10.0.0.0/33', '300.0.0.0/8', 'x/24', 'fd00::/8', 'fd00::/128', '10.0.0.0/24/1'])
		t.throws(() => parseSubnet(bad), { code: 'InvalidArgument' });
});
test('networks: one, or one of each family', (t) => {
	t.deepEqual(parseSubnets('fd00::/64, 10.0.0.0/24').map(formatSubnet), ['fd00::/64', '10.0.0.0/24']);
	for (const bad of ['10.0.0.0/24,10.1.0.0/24', '10.0.0.0/24,fd00::/64,fd01::/64', ''])
		t.throws(() => parseSubnets(bad), { code: 'InvalidArgument' });
});
test("an instance's own IPv6 network", (t) => t.is(formatSubnet(localSubnet6('0123456789')), 'fd01:2345:6789::/64'));

test('addresses: round robin, skipping those in use, until all are taken', (t) => {
	const addresses = new Addresses(parseSubnet('10.0.0.0/29'), ['10.0.0.3', '192.168.0.4', 'fd00::3']);
	t.deepEqual([addresses.take(), addresses.take()], ['10.0.0.2', '10.0.0.4']);
	addresses.free('10.0.0.2');
	addresses.free('192.168.0.4');
	t.deepEqual([addresses.take(), addresses.take(), addresses.take()], ['10.0.0.5', '10.0.0.6', '10.0.0.2']);
	t.throws(() => addresses.take(), { code: 'ResourceExhausted' });
});
test('addresses of a large network', (t) => {
	const addresses = new Addresses(parseSubnet('fd00::/64'), ['fd00::2', 'fd00:0:0:0:8000::3']);
	t.deepEqual([addresses.take(), addresses.take()], ['fd00::3', 'fd00::4']);
});

const port = (hostPort: number, containerPort: number, protocol: Protocol = Protocol.TCP, hostIp = ''): PortMapping => ({
	protocol,
	containerPort,
	hostPort,
	hostIp,
});
const POD = {
	ips: ['10.0.0.2', 'fd00::2'],
	ports: [
		port(8080, 80),
		port(5353, 53, Protocol.UDP, '127.0.0.1'),
		port(9, 9, Protocol.SCTP, '::'),
		port(0, 81),
		port(7, 7, Protocol.TCP, '2001:db8::1'),
	],
};
for (const [family, want] of [
	[4, ['tcp * 8080 10.0.0.2 80', 'udp 127.0.0.1 5353 10.0.0.2 53']],
	[6, ['tcp * 8080 fd00::2 80', 'sctp * 9 fd00::2 9', 'tcp 2001:db8::1 7 fd00::2 7']],
] as const)
	test(`host ports of IPv${family} lead to the pod, on one address or all`, (t) =>
		t.deepEqual(
			redirects(family, [POD]).map((r) => `${r.transport} ${r.hostIp ?? '*'} ${r.hostPort} ${r.ip} ${r.port}`),
			[...want],
		));
test('a pod without the family has no ports in it', (t) => {
	t.deepEqual(redirects(6, [{ ...POD, ips: ['10.0.0.2'] }]), []);
	t.deepEqual(hairpins(4, [POD]), ['10.0.0.2']);
});

const FILTERING = { bridge: 'kl-1', chain: 'KUBELING-1', subnets: parseSubnets('10.0.0.0/24,fd00::/64'), pods: [POD] };
test('iptables: redirects, masquerading, hairpins', (t) => {
	const lines = chainRules(4, FILTERING).split('\n');
	for (const line of [
		'-A KUBELING-1-HP -p tcp -m tcp --dport 8080 -j DNAT --to-destination 10.0.0.2:80',
		'-A KUBELING-1-HP -d 127.0.0.1/32 -p udp -m udp --dport 5353 -j DNAT --to-destination 10.0.0.2:53',
		'-A KUBELING-1-POST -s 10.0.0.0/24 ! -d 10.0.0.0/24 ! -o kl-1 -j MASQUERADE',
		'-A KUBELING-1-POST -s 10.0.0.2/32 -d 10.0.0.2/32 -j MASQUERADE',
	])
		t.true(lines.includes(line), line);
	t.true(chainRules(6, FILTERING).includes('--dport 8080 -j DNAT --to-destination [fd00::2]:80'));
	t.false(chainRules(6, FILTERING).includes('10.0.0.'));
});
test('iptables: jumps that are there stay as they are, others are put first', (t) => {
	const names = { bridge: 'kl-1', chain: 'KUBELING-1' };
	const all = missingJumps(names, '');
	t.is(all.match(/-I /g)?.length, 5);
	t.true(all.startsWith('*filter\n-I FORWARD 1 -j KUBELING-1-FWD\n'));
	const saved = ['-A FORWARD -j KUBELING-1-FWD', '-A INPUT -j KUBELING-1-IN', '-A OUTPUT -m addrtype --dst-type LOCAL -j KUBELING-1-HP'];
	// Of another cluster, and a rule in the chain itself.
	const others = ['-A PREROUTING -m addrtype --dst-type LOCAL -j KUBELING-12-HP', '-A KUBELING-1-POST -s 10.0.0.0/24 -j MASQUERADE'];
	t.is(
		missingJumps(names, [...saved, ...others, ''].join('\n')),
		'*nat\n-I PREROUTING 1 -m addrtype --dst-type LOCAL -j KUBELING-1-HP\n-I POSTROUTING 1 -j KUBELING-1-POST\nCOMMIT\n',
	);
	t.is(missingJumps(names, all.replaceAll(/-I (\S+) 1/g, '-A $1')), '');
});
test('nftables: the same, in one table a family', (t) => {
	const text = tableText(4, FILTERING);
	for (const line of [
		'tcp dport 8080 dnat to 10.0.0.2:80',
		'ip daddr 127.0.0.1 udp dport 5353 dnat to 10.0.0.2:53',
		'ip saddr 10.0.0.0/24 ip daddr != 10.0.0.0/24 oifname != "kl-1" masquerade',
		'ip saddr 10.0.0.2 ip daddr 10.0.0.2 masquerade',
	])
		t.true(text.includes(`\t\t${line}\n`), line);
	t.true(tableText(6, FILTERING).includes('ip6 daddr 2001:db8::1 tcp dport 7 dnat to [fd00::2]:7'));
	t.deepEqual(openings({ family: 'ip', table: 'filter', name: 'FORWARD', hook: 'forward' }, FILTERING), [
		'insert rule ip filter FORWARD iifname "kl-1" accept comment "kubeling-1"\n',
		'insert rule ip filter FORWARD oifname "kl-1" accept comment "kubeling-1"\n',
	]);
	t.is(openings({ family: 'inet', table: 'f', name: 'in', hook: 'input' }, FILTERING).length, 3);
});

for (const [name, first, second, collide] of [
	['the same', port(80, 1), port(80, 2), true],
	['another protocol', port(80, 1), port(80, 2, Protocol.UDP), false],
	['another address', port(80, 1, Protocol.TCP, '127.0.0.1'), port(80, 1, Protocol.TCP, '127.0.0.2'), false],
	['one address and all', port(80, 1, Protocol.TCP, '127.0.0.1'), port(80, 1), true],
	['one address and all of its family', port(80, 1, Protocol.TCP, '127.0.0.1'), port(80, 1, Protocol.TCP, '0.0.0.0'), true],
	['one address and all of the other family', port(80, 1, Protocol.TCP, '127.0.0.1'), port(80, 1, Protocol.TCP, '::'), false],
	['ports inside only', port(0, 1), port(0, 1), false],
] as const)
	test(`host ports of two pods: ${name}`, (t) => {
		const ports = new HostPorts();
		ports.claim('a', 'ns/a', [first]);
		t.notThrows(() => ports.claim('a', 'ns/a', [first]), 'a pod may claim its own again');
		if (!collide) return void t.notThrows(() => ports.claim('b', 'ns/b', [second]));
		const error = t.throws(() => ports.claim('b', 'ns/b', [second]), { code: 'AlreadyExists' });
		t.regex(error?.message ?? '', /host port .*80\/TCP for pod "ns\/b": pod "ns\/a" has it/);
		ports.release('a');
		t.notThrows(() => ports.claim('b', 'ns/b', [second]));
	});

test("an engine's own network: ports and addresses", (t) => {
	const { ExposedPorts, PortBindings } = enginePorts([port(8080, 80), port(8081, 80, Protocol.TCP, '127.0.0.1'), port(0, 1)]);
	t.deepEqual(ExposedPorts, { '80/tcp': {} });
	t.deepEqual(PortBindings, {
		'80/tcp': [
			{ HostIp: '', HostPort: '8080' },
			{ HostIp: '127.0.0.1', HostPort: '8081' },
		],
	});
	t.deepEqual(engineIps({ NetworkSettings: { Networks: { bridge: { IPAddress: '172.17.0.2', GlobalIPv6Address: '' } } } }), ['172.17.0.2']);
	t.deepEqual(engineIps({}), []);
});
test('uplinks whose default route a router advertised', (t) => {
	const zero = '0'.repeat(32);
	const route = (flags: string, name: string): string =>
		`${zero} 00 ${zero} 00 fe80${'0'.repeat(28)} 00000400 00000001 00000000 ${flags} ${name}`;
	t.deepEqual(routedUplinks([route('00450003', 'eth0'), route('00000003', 'eth1'), route('00200200', 'lo')].join('\n')), ['eth0']);
});

const domains = (count: number, length: number): string[] => Array.from({ length: count }, (_, i) => `${i}`.padEnd(length, 'x'));
for (const [name, dns, want] of [
	[
		'all',
		{ servers: ['10.96.0.10', 'fd00::a'], searches: ['a.local', 'local'], options: ['ndots:5'] },
		'search a.local local\nnameserver 10.96.0.10\nnameserver fd00::a\noptions ndots:5\n',
	],
	['nothing', {}, ''],
	[
		'three servers at most',
		{ servers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4'] },
		'nameserver 1.1.1.1\nnameserver 1.1.1.2\nnameserver 1.1.1.3\n',
	],
	['32 domains at most', { searches: domains(40, 3) }, `search ${domains(32, 3).join(' ')}\n`],
	['2048 characters at most', { searches: domains(20, 200) }, `search ${domains(10, 200).join(' ')}\n`],
	['a forged line', { searches: ['a\nnameserver 6.6.6.6'] }, /Cannot write/],
	['a forged server', { servers: ['1.1.1.1 options x'] }, /Cannot write/],
	['a name as server', { servers: ['dns.local'] }, /not an IPv4 or IPv6 address/],
] as const)
	test(`resolv.conf: ${name}`, (t) => {
		const text = (): string => resolvConfOf({ servers: [], searches: [], options: [], ...dns } as DNSConfig);
		if (typeof want === 'string') t.is(text(), want);
		else t.throws(text, { code: 'InvalidArgument', message: want });
	});
for (const [text, want] of [
	['nameserver 127.0.0.53\noptions edns0\n', true],
	['nameserver 127.0.0.53\nnameserver 9.9.9.9\n', false],
	['search local\n', false],
] as const)
	test(`only the host reaches its DNS servers: ${JSON.stringify(text)}`, (t) => t.is(hasLoopbackServersOnly(text), want));

test('the helper reads all ports of a request, however many, and a failure says what was asked for', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-helper-'));
	const helper = new Helper(await installHelper(dir));
	t.teardown(async () => {
		helper.stop();
		await rm(dir, { recursive: true, force: true });
	});
	const all = Array.from({ length: 65_535 }, (_, i) => i + 1);
	for (const ports of [[0], [1, 65_536], [...all, 0]])
		await t.throwsAsync(helper.request('forget', ...ports), {
			code: 'Internal',
			message: 'Cannot end UDP conversations with the host ports: read the port: errno 22',
		});
	await t.throwsAsync(helper.request('detach'), { message: 'Cannot detach the pod network: unknown request: errno 22' });
});
