/** The pod networks that the suite runs over, and the cases of each. */
import { readdir } from 'node:fs/promises';
import { realClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { BridgeNetwork } from '../../cri/network/bridge.ts';
import { EngineNetwork } from '../../cri/network/engine-network.ts';
import { Helper } from '../../cri/network/helper.ts';
import { PodNetworks } from '../../cri/network/networks.ts';
import type { PacketFilterName } from '../../cri/network/packet-filter.ts';
import { runCommand } from '../../host/command.ts';
import { BRIDGE_CASES } from './bridge-network-cases.ts';
import { CNI_CASES } from './cni-network-cases.ts';
import { BRIDGE, cniSubject, POD_SUBNETS, type Setting } from './cni-network-subject.ts';
import { type Case, POD_NETWORK_CASES, type Subject } from './pod-network-suite.ts';

export const SUBJECTS = ['iptables', 'nftables', 'cni'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

export function casesOf(name: SubjectName): readonly Case[] {
	return [...POD_NETWORK_CASES, ...(name === 'cni' ? CNI_CASES : BRIDGE_CASES)];
}

export async function subjectOf(name: SubjectName, setting: Setting): Promise<Subject> {
	return name === 'cni' ? cniSubject(setting) : bridgeSubject(name, setting);
}

async function bridgeSubject(filter: PacketFilterName, setting: Setting): Promise<Subject> {
	// What an engine and an administrator leave on a host: a FORWARD that drops, an INPUT that is closed to the pods.
	for (const [iptables, subnet] of [
		['iptables', '10.77.0.0/24'],
		['ip6tables', 'fd77::/64'],
	] as const) {
		await runCommand(iptables, ['-P', 'FORWARD', 'DROP']);
		await runCommand(iptables, ['-A', 'INPUT', '-d', subnet, '-j', 'DROP']);
	}
	return {
		open: async () => {
			const deps = { helper: new Helper(setting.helperPath), clock: realClock, log: createLog({ level: 'warn' }) };
			const bridge = new BridgeNetwork(BRIDGE, POD_SUBNETS, { ...deps, filter });
			return new PodNetworks({ mode: 'bridge', rootless: false, bridge, keepBridge: true, cni: undefined, engine: new EngineNetwork() });
		},
		traces: async () => {
			const ports = await readdir(`/sys/class/net/${BRIDGE}/brif`);
			const rules = (await runCommand('nft', ['list', 'ruleset'])).split('\n').filter((l) => /dport/.test(l));
			return [...ports, ...rules];
		},
	};
}
