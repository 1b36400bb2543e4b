/** CNI as a subject of the pod network's suite: a chain of upstream's plug-ins in a folder of the test's own. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '../../base/clock.ts';
import { createLog } from '../../base/log.ts';
import { BridgeNetwork } from '../../cri/network/bridge.ts';
import { CniNetworks } from '../../cri/network/cni/cni-network.ts';
import { EngineNetwork } from '../../cri/network/engine-network.ts';
import { Helper } from '../../cri/network/helper.ts';
import { PodNetworks } from '../../cri/network/networks.ts';
import { runCommand } from '../../host/command.ts';
import type { Subject } from './pod-network-suite.ts';

export interface Setting {
	readonly dir: string;
	readonly helperPath: string;
	/** Folder of the upstream plug-ins. */
	readonly binDir: string;
}

export const BRIDGE = 'kl-testtest';
export const POD_SUBNETS = '10.77.0.0/24,fd77::/64';

/** A chain of upstream's plug-ins, dual stack. */
export function cniConfig(setting: Setting, more: object = {}): string {
	return JSON.stringify({
		cniVersion: '1.1.0',
		name: 'test',
		plugins: [
			{
				type: 'bridge',
				bridge: 'cni-test',
				isGateway: true,
				ipMasq: true,
				hairpinMode: true,
				ipam: {
					type: 'host-local',
					dataDir: join(setting.dir, 'leases'),
					ranges: [[{ subnet: '10.78.0.0/24' }], [{ subnet: 'fd78::/64' }]],
					routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
				},
			},
			{ type: 'tuning', sysctl: { 'net.ipv4.conf.eth0.arp_notify': '1' } },
			{ type: 'portmap', capabilities: { portMappings: true }, snat: true },
			{ type: 'bandwidth', capabilities: { bandwidth: true } },
			{ type: 'firewall', backend: 'iptables' },
		],
		...more,
	});
}

export const confDirOf = (setting: Setting): string => join(setting.dir, 'net.d');
export const confFileOf = (setting: Setting): string => join(confDirOf(setting), '10-test.conflist');
export const leasesOf = (setting: Setting): Promise<readonly string[]> =>
	readdir(join(setting.dir, 'leases', 'test')).then(
		(names) => names.filter((n) => /^[\da-f]+[.:]/.test(n)),
		() => [],
	);

let current: Setting | undefined;
/** For cases that look at the files of their subject. */
export function setting(): Setting {
	if (current === undefined) throw new Error('no subject yet');
	return current;
}

export async function cniSubject(given: Setting): Promise<Subject> {
	current = given;
	await mkdir(confDirOf(given), { recursive: true });
	await writeFile(confFileOf(given), cniConfig(given));
	const cacheDir = join(given.dir, 'cache');
	return {
		open: async () => {
			const helper = new Helper(given.helperPath);
			const deps = { helper, clock: realClock, log: createLog({ level: 'warn' }) };
			const cni = new CniNetworks({ confDir: confDirOf(given), binDirs: [join(given.dir, 'bin'), given.binDir], cacheDir }, deps);
			const bridge = new BridgeNetwork(BRIDGE, POD_SUBNETS, deps);
			return new PodNetworks({ mode: 'cni', rootless: false, bridge, keepBridge: false, cni, engine: new EngineNetwork() });
		},
		traces: async () => {
			const links = (await runCommand('ip', ['-o', 'link', 'show', 'master', 'cni-test']).catch(() => '')).split('\n').filter(Boolean);
			const rules = (await runCommand('iptables-save', []))
				.split('\n')
				.filter((l) => /dport|10\.78\.0\.\d+\//.test(l) && !/MASQUERADE-|10\.78\.0\.0\/24/.test(l));
			return [...links, ...rules, ...(await leasesOf(given)), ...(await readdir(cacheDir).catch(() => []))];
		},
	};
}
