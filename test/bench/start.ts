/** Cold start to node Ready, memory with ten pods, idle CPU. There is no floor but Node.js itself: its bare start and memory are printed beside. */
import { spawnSync } from 'node:child_process';
import { holderOf } from '../../cluster/lock.ts';
import { Kubectl, testCluster } from '../e2e/cluster.ts';
import { run } from '../tools/command.ts';
import { BUSYBOX, busyboxImage } from '../tools/images.ts';
import { kubectl } from '../tools/kubectl.ts';
import { cpuMs, median, printFigures, pssBytes } from './figures.ts';

const PODS = 10;
/** Node.js that does nothing. */
const BARE_MIB = 39;

export async function bench(args: readonly string[]): Promise<void> {
	const rounds = Number(args[0] ?? 5);
	const idleMs = Number(args[1] ?? 60_000);
	await busyboxImage();
	const path = await kubectl();
	const [cold, bare]: [number[], number[]] = [[], []];
	for (let i = 0; i < rounds; i++) {
		await using cluster = await testCluster('bench');
		bare.push(timed(() => spawnSync(process.execPath, ['-e', '0'])));
		const started = performance.now();
		await cluster.up();
		cold.push(performance.now() - started);
	}
	await using cluster = await testCluster('bench');
	await cluster.up();
	const pid = (await holderOf(cluster.dataDir))?.pid ?? 0;
	const fresh = await pssBytes(pid);
	const k = new Kubectl(path, cluster, 'default');
	for (let i = 0; i < PODS; i++) await k.must(['run', `p${i}`, `--image=${BUSYBOX}`, '--', 'sleep', '3600']);
	await k.must(['wait', '--for=condition=Ready', 'pod', '--all', '--timeout=60s']);
	await new Promise((resolve) => setTimeout(resolve, 5000));
	const before = await cpuMs(pid);
	await new Promise((resolve) => setTimeout(resolve, idleMs));
	const idle = ((await cpuMs(pid)) - before) / idleMs;
	const loaded = await pssBytes(pid);
	await run(path, ['delete', 'pod', '--all', '--grace-period=1'], { env: cluster.env });
	printFigures([
		{ name: 'cold start to node Ready, p50 ms', value: median(cold), floor: median(bare), goals: [{ of: 'value', atMost: 1500 }] },
		{ name: 'memory when fresh, PSS MiB', value: fresh / 2 ** 20, floor: BARE_MIB },
		{ name: `memory with ${PODS} pods, PSS MiB`, value: loaded / 2 ** 20, floor: BARE_MIB, goals: [{ of: 'value', atMost: 150 }] },
		{ name: 'idle CPU over a minute, % of a core', value: idle * 100, goals: [{ of: 'value', atMost: 1 }] },
	]);
}

function timed(work: () => unknown): number {
	const from = performance.now();
	work();
	return performance.now() - from;
}
