/** What the built-in bridge does beyond what every pod network does. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { runCommand } from '../../host/command.ts';
import { Protocol } from '../../cri/proto.ts';
import { eventually } from '../tools/eventually.ts';
import { SCTP_SEND, SCTP_TAKE } from '../tools/netns/peers.ts';
import { HERE } from '../tools/netns/place.ts';
import { addressOf, type Case, port } from './pod-network-suite.ts';

export const BRIDGE_CASES: readonly Case[] = [
	{
		name: 'the loopback of the host stays closed to pods that send to it over the bridge',
		run: async ({ place, pod, network }) => {
			const a = await pod();
			const pid = a.pid as number;
			await place.serve(undefined, 7100);
			assert.equal(await place.ask(pid, 'tcp', network.gateway, 7100), addressOf(a, 4), 'the gateway is open');
			await place.run(pid, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet');
			await place.run(pid, 'ip', 'address', 'del', '127.0.0.1/8', 'dev', 'lo');
			await place.run(pid, 'ip', 'route', 'add', '127.0.0.1', 'via', network.gateway, 'src', addressOf(a, 4));
			assert.equal(await place.tryAsk(pid, 'tcp', '127.0.0.1', 7100), '');
		},
	},
	{
		name: 'an SCTP host port leads to the port of the pod',
		run: async ({ place, pod }) => {
			const a = await pod({ portMappings: [port(8084, 80, Protocol.SCTP)] });
			for (const [family, ip] of [
				['4', HERE.v4],
				['6', HERE.v6],
			] as const) {
				const taken = place.run(a.pid, 'python3', '-c', SCTP_TAKE, family);
				let over = false;
				const end = (): void => void (over = true);
				taken.then(end, end);
				await eventually(`a packet to ${ip}`, async () => {
					await place.run(place.outside, 'python3', '-c', SCTP_SEND, ip, '8084');
					return over;
				});
				assert.equal((await taken).trim(), '80');
			}
		},
	},
	{
		name: 'other ranges: new pods have them, older ones go on with theirs, also after a restart',
		run: async ({ place, pod, network, restart, drop }) => {
			const before = network.subnet;
			const a = await pod();
			await network.use('10.79.0.0/24,fd79::/64');
			const b = await pod({ portMappings: [port(9500, 80)] });
			assert.match(addressOf(b, 4), /^10\.79\.0\./);
			assert.match(addressOf(b, 6), /^fd79::/);
			await place.serve(a.pid, 80);
			await place.serve(b.pid, 80);
			assert.equal(await place.ask(b.pid, 'tcp', addressOf(a, 4), 80), addressOf(b, 4));
			assert.notEqual(await place.ask(a.pid, 'tcp', HERE.v4, 9500), '');
			await restart([a, b]);
			assert.equal(await place.ask(b.pid, 'tcp', addressOf(a, 6), 80), addressOf(b, 6));
			await drop(a);
			await drop(b);
			await network.use(before);
		},
	},
	{
		name: 'rules that others flushed come back when the engine does',
		run: async ({ place, pod, network }) => {
			const a = await pod({ portMappings: [port(9600, 80)] });
			await place.serve(a.pid, 80);
			await runCommand('nft', ['flush', 'ruleset']);
			for (const iptables of ['iptables', 'ip6tables']) await runCommand(iptables, ['-P', 'FORWARD', 'DROP']);
			await network.refresh();
			for (const ip of [HERE.v4, HERE.v6]) assert.notEqual(await place.ask(place.outside, 'tcp', ip, 9600), '');
		},
	},
	{
		name: 'a bridge that was removed comes back',
		run: async ({ network, pod, place }) => {
			await runCommand('ip', ['link', 'delete', 'kl-testtest']);
			await network.refresh();
			const [a, b] = [await pod(), await pod()];
			await place.serve(a.pid, 80);
			assert.equal(await place.ask(b.pid, 'tcp', addressOf(a, 6), 80), addressOf(b, 6));
		},
	},
	{
		name: 'a host without IPv6: pods have IPv4',
		run: async ({ place, pod, restart }) => {
			const turn = (value: string): Promise<void> => writeFile('/proc/sys/net/ipv6/conf/all/disable_ipv6', value);
			await turn('1');
			try {
				await restart([]);
				const [a, b] = [await pod({ portMappings: [port(9800, 80)] }), await pod()];
				assert.equal(a.address.ips.length, 1);
				await place.serve(a.pid, 80);
				assert.equal(await place.ask(b.pid, 'tcp', addressOf(a, 4), 80), addressOf(b, 4));
				assert.notEqual(await place.ask(place.outside, 'tcp', HERE.v4, 9800), '');
			} finally {
				await turn('0');
			}
		},
	},
];
