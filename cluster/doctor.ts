/** `kubeling doctor`: what this host has and lacks, each with the fix. Checks are data; facts are read once. */
import { access, constants, readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { cgroupVersion } from '../host/cgroups.ts';
import { KernelLog } from '../host/kernel-log.ts';
import { missingText, type Engine } from './engine.ts';

export interface HostFacts {
	readonly platform: string;
	readonly arch: string;
	readonly nodeVersion: string;
	readonly root: boolean;
	readonly engine: Engine | undefined;
	readonly engineInstalled: boolean;
	/** 1, 2 or undefined where there are none. */
	readonly cgroupVersion: 1 | 2 | undefined;
	readonly swapBytes: number;
	readonly sysResource: boolean;
	/** Whether it may be read. */
	readonly kernelLog: boolean;
	readonly ipForward: boolean;
	readonly commands: Readonly<Record<'ip' | 'iptables' | 'nft' | 'mount' | 'nsenter', boolean>>;
	readonly freeDiskBytes: number;
	readonly freeMemoryBytes: number;
}

export type Verdict = 'ok' | 'note' | 'missing';

export interface Finding {
	readonly verdict: Verdict;
	readonly what: string;
	/** What it means and how to mend it; empty when all is well. */
	readonly fix: string;
}

export const NOT_ROOT: Finding = {
	verdict: 'missing',
	what: 'Not running as root',
	fix: 'Pod networks and volumes need root: run with sudo.',
};

const GIB = 1024 ** 3;

/** What the facts mean. Pure; `missing` findings stop `up`. */
export function diagnose(facts: HostFacts): readonly Finding[] {
	const ok = (what: string): Finding => ({ verdict: 'ok', what, fix: '' });
	const note = (what: string, fix: string): Finding => ({ verdict: 'note', what, fix });
	const missing = (what: string, fix: string): Finding => ({ verdict: 'missing', what, fix });
	const { engine, commands } = facts;
	return [
		facts.platform === 'linux'
			? ok(`Linux on ${facts.arch}`)
			: missing(`This is ${facts.platform}`, 'Kubeling runs pods on Linux; use a Linux host or virtual machine.'),
		ok(`Node.js ${facts.nodeVersion}`),
		engine !== undefined
			? ok(`Docker Engine ${engine.version} (API ${engine.apiVersion}) at ${engine.host}`)
			: missing('No Docker Engine answers', missingText(undefined, facts.root, facts.engineInstalled)),
		facts.root ? ok('Running as root') : NOT_ROOT,
		facts.cgroupVersion === 2
			? ok('cgroup v2')
			: facts.cgroupVersion === 1
				? note('cgroup v1', 'Works; memory QoS and pressure figures (PSI) need cgroup v2.')
				: missing('No cgroups mounted', 'Mount them (cgroup2 on /sys/fs/cgroup), or start your init system.'),
		commands.ip ? ok('iproute2 (ip)') : missing('"ip" is not installed', 'apt-get install iproute2'),
		commands.iptables || commands.nft
			? ok(commands.iptables ? 'iptables' : 'nftables')
			: missing('Neither "iptables" nor "nft" is installed', 'apt-get install iptables'),
		commands.mount && commands.nsenter
			? ok('util-linux (mount, nsenter)')
			: missing('util-linux is not installed', 'apt-get install util-linux'),
		facts.ipForward ? ok('IP forwarding is on') : note('IP forwarding is off', '"kubeling up" turns it on (sysctl net.ipv4.ip_forward=1).'),
		facts.sysResource
			? ok('CAP_SYS_RESOURCE')
			: note('No CAP_SYS_RESOURCE', 'OOM scores are clamped to what the host allows, and "privileged" means all that the host has.'),
		facts.kernelLog
			? ok("The kernel's log (/dev/kmsg)")
			: note("The kernel's log (/dev/kmsg) cannot be read", 'No event SystemOOM is told, and OOMKilled only where the engine notices it.'),
		facts.swapBytes === 0 ? ok('No swap') : note('Swap is on', 'Works; containers may swap unless they have a memory limit.'),
		facts.freeDiskBytes >= 2 * GIB
			? ok(`${gib(facts.freeDiskBytes)} of disk free`)
			: note(`Only ${gib(facts.freeDiskBytes)} of disk free`, 'Images need room: free some, or "docker system prune".'),
		facts.freeMemoryBytes >= GIB / 2
			? ok(`${gib(facts.freeMemoryBytes)} of memory available`)
			: note(`Only ${gib(facts.freeMemoryBytes)} of memory available`, 'Kubeling itself takes about 0.15 GiB; pods come on top.'),
	];
}

function gib(bytes: number): string {
	return `${(bytes / GIB).toFixed(1)} GiB`;
}

/** Reads the facts of this host; nothing here changes it. @param engine as found before */
export async function readHostFacts(engine: Engine | undefined): Promise<HostFacts> {
	const meminfo = await text('/proc/meminfo');
	const kb = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(meminfo)?.[1] ?? 0) * 1024;
	const capabilities = BigInt(`0x${/^CapEff:\s+([0-9a-f]+)/m.exec(await text('/proc/self/status'))?.[1] ?? '0'}`);
	const disk = await statfs('/var/lib').catch(() => undefined);
	const [ip, iptables, nft, mount, nsenter, dockerd] = await Promise.all(['ip', 'iptables', 'nft', 'mount', 'nsenter', 'dockerd'].map(has));
	return {
		platform: process.platform,
		arch: process.arch,
		nodeVersion: process.version,
		root: process.getuid?.() === 0,
		engine,
		engineInstalled: dockerd === true,
		cgroupVersion: (await cgroupVersion()) === 2 ? 2 : (await exists('/sys/fs/cgroup/memory')) ? 1 : undefined,
		swapBytes: kb('SwapTotal'),
		sysResource: (capabilities & (1n << CAP_SYS_RESOURCE)) !== 0n,
		kernelLog: isKernelLogReadable(),
		ipForward: (await text('/proc/sys/net/ipv4/ip_forward')).trim() === '1',
		commands: { ip: ip === true, iptables: iptables === true, nft: nft === true, mount: mount === true, nsenter: nsenter === true },
		freeDiskBytes: disk === undefined ? 0 : disk.bavail * disk.bsize,
		freeMemoryBytes: kb('MemAvailable'),
	};
}

/** Who may is asked when it is opened. */
function isKernelLogReadable(): boolean {
	try {
		new KernelLog('/dev/kmsg')[Symbol.dispose]();
		return true;
	} catch {
		return false;
	}
}

/** capabilities(7). */
const CAP_SYS_RESOURCE = 24n;

async function text(path: string): Promise<string> {
	return readFile(path, 'utf8').catch(() => '');
}

async function exists(path: string): Promise<boolean> {
	return access(path, constants.F_OK).then(
		() => true,
		() => false,
	);
}

/** As a shell finds it; six shells would be a twentieth of a start. */
async function has(command: string): Promise<boolean> {
	const folders = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`.split(':').filter((folder) => folder !== '');
	const found = folders.map((folder) => access(join(folder, command), constants.X_OK));
	return Promise.any(found).then(
		() => true,
		() => false,
	);
}
