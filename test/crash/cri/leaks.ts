/** What a shim without pods must not have: on the engine, in the network, in its data folder, in its lists and in its process. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { namePrefix } from '../../../cri/convert/names.ts';
import { bridgeName } from '../../../cri/network/bridge.ts';
import { must } from '../../tools/command.ts';
import type { Holdings } from '../../tools/killable-process.ts';
import { FDS_SPARE } from '../../tools/open-files.ts';
import type { KillableShim } from './killable-shim.ts';

/** One line for each thing that is left. */
export async function leaksOf(shim: KillableShim, dockerHost: string, before: Holdings): Promise<readonly string[]> {
	const { dataDir, clusterName } = shim.options;
	const { instance } = JSON.parse(await readFile(join(dataDir, 'instance.json'), 'utf8')) as { instance: string };
	const bridge = bridgeName(clusterName, instance);
	const now = await shim.holdings();
	const [sandboxes, containers] = [
		await shim.runtime.listPodSandbox({ filter: undefined }),
		await shim.runtime.listContainers({ filter: undefined }),
	];
	const rules = (await must('iptables-save', []))
		.split('\n')
		.filter((l) => l.includes(bridge.slice('kl-'.length)) && l.includes('--dport'));
	const found: readonly (readonly [string, readonly string[]])[] = [
		['container', await containerNames(dockerHost, namePrefix(clusterName, instance))],
		['sandbox in the list', sandboxes.items.map((s) => s.id)],
		['container in the list', containers.containers.map((c) => c.id)],
		['interface', await readdir(`/sys/class/net/${bridge}/brif`).catch(() => [])],
		['rule of a host port', rules],
		['checkpoint', await readdir(join(dataDir, 'checkpoints')).catch(() => [])],
		['files of a sandbox', await readdir(join(dataDir, 'files')).catch(() => [])],
		['file descriptors', now.fds > before.fds + FDS_SPARE ? [`${now.fds}, ${before.fds} before`] : []],
		['child processes', now.children > before.children + 1 ? [`${now.children}, ${before.children} before`] : []],
	];
	return found.flatMap(([kind, all]) => all.map((one) => `${kind}: ${one}`));
}

async function containerNames(dockerHost: string, prefix: string): Promise<readonly string[]> {
	const filter = ['ps', '--all', '--no-trunc', '--filter', `name=^/${prefix}`, '--format', '{{.Names}}'];
	return (await must('docker', ['-H', `unix://${dockerHost}`, ...filter])).split('\n').filter(Boolean);
}

/** Waits until nothing is left, or answers what is after `boundMs`. */
export async function settled(look: () => Promise<readonly string[]>, boundMs: number): Promise<readonly string[]> {
	const until = Date.now() + boundMs;
	for (;;) {
		const left = await look();
		if (left.length === 0 || Date.now() > until) return left;
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
}
