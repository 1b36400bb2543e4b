/** What a cluster has on this machine beside its data folder: to be told apart from other clusters' while it lives, and to be gone after `down --delete`. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { bridgeName } from '../../cri/network/bridge.ts';
import { readClusterState } from '../../cluster/data-folder.ts';
import { isFree } from '../../cluster/ports.ts';
import { must } from '../tools/command.ts';

/** How a cluster's things are recognised; read while it is there. */
export interface Marks {
	readonly name: string;
	readonly dataDir: string;
	readonly bridge: string;
	readonly ports: readonly number[];
}

export async function marksOf(name: string, dataDir: string): Promise<Marks> {
	const { instance } = JSON.parse(await readFile(join(dataDir, 'cri', 'instance.json'), 'utf8')) as { instance: string };
	const state = await readClusterState(dataDir);
	return { name, dataDir, bridge: bridgeName(name, instance), ports: state === undefined ? [] : [state.port, state.kubeletPort] };
}

/** One line for each thing of the cluster that is still on this machine. */
export async function tracesOf({ name, dataDir, bridge, ports }: Marks): Promise<readonly string[]> {
	const id = bridge.slice('kl-'.length);
	const lines = (text: string, has: (line: string) => boolean): string[] => text.split('\n').filter(has);
	const found = async (kind: string, what: Promise<readonly string[]>): Promise<string[]> => (await what).map((w) => `${kind}: ${w}`);
	const all = await Promise.all([
		found('container', containerNames(name)),
		found(
			'network of the engine',
			must('docker', ['network', 'ls', '--format', '{{.Name}}']).then((t) => lines(t, (l) => l.includes(name))),
		),
		found(
			'interface',
			readdir('/sys/class/net').then((all) => all.filter((n) => n === bridge || (n.startsWith(`v${id.slice(0, 6)}`) && n.length === 15))),
		),
		found(
			'rule',
			must('iptables-save', []).then((t) => lines(t, (l) => l.includes(`KUBELING-${id}`) || l.includes(bridge))),
		),
		found(
			'mount',
			readFile('/proc/self/mountinfo', 'utf8').then((t) => lines(t, (l) => l.includes(`${dataDir}/`))),
		),
		found(
			'unix socket',
			readFile('/proc/net/unix', 'utf8').then((t) => lines(t, (l) => l.includes(`${dataDir}/`))),
		),
		found('port', takenPorts(ports)),
		found('process', processesOf(dataDir)),
		found('cgroup', cgroups(`kubeling-${name}`)),
	]);
	return all.flat();
}

export async function containerNames(cluster: string): Promise<readonly string[]> {
	const text = await must('docker', ['ps', '--all', '--no-trunc', '--filter', `name=^/kubeling_${cluster}-`, '--format', '{{.Names}}']);
	return text.split('\n').filter((name) => name !== '');
}

async function takenPorts(ports: readonly number[]): Promise<readonly string[]> {
	const free = await Promise.all(ports.map((port) => isFree(port, '0.0.0.0')));
	return ports.filter((_, i) => free[i] === false).map(String);
}

/** Processes with the folder in their arguments, as "PID ARGUMENTS"; this one and its parents are not meant. */
export async function processesOf(dataDir: string): Promise<readonly string[]> {
	const found: string[] = [];
	for (const pid of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
		const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
		const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
		const isOurs = words.some((word) => word === dataDir || word.startsWith(`${dataDir}/`)) || cwd.startsWith(`${dataDir}/`);
		if (isOurs && Number(pid) !== process.pid) found.push(`${pid} ${words.join(' ')}`);
	}
	return found;
}

/** Folders of that name, as the engine makes a cgroup parent: at the root of each hierarchy, or as a systemd slice. */
async function cgroups(name: string): Promise<readonly string[]> {
	const roots = ['/sys/fs/cgroup', ...(await readdir('/sys/fs/cgroup')).map((entry) => `/sys/fs/cgroup/${entry}`)];
	const found: string[] = [];
	for (const root of roots)
		for (const entry of await readdir(root).catch(() => [])) if (entry === name || entry === `${name}.slice`) found.push(join(root, entry));
	return found;
}
