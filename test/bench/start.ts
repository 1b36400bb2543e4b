/** Cold start to node Ready, memory with ten pods, idle CPU. There is no floor but Node.js itself: its bare start and memory are printed beside. */
import { spawnSync } from 'node:child_process';
import { holderOf } from '../../cluster/lock.ts';
import { Kubectl, testCluster } from '../e2e/cluster.ts';
import { run } from '../tools/command.ts';
import { BUSYBOX, busyboxImage } from '../tools/images.ts';
import { kubectl } from '../tools/kubectl.ts';
import { cpuMs, median, printTable, pssBytes, show } from './figures.ts';

const PODS = 10;

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
	printTable(
		['figure', 'kubeling', 'goal', 'bare Node.js'],
		[
			['cold start to node Ready, p50 ms', show(median(cold)), '1500', show(median(bare))],
			['memory when fresh, PSS MiB', show(fresh / 2 ** 20), '', '39'],
			[`memory with ${PODS} pods, PSS MiB`, show(loaded / 2 ** 20), '150', '39'],
			['idle CPU, % of a core', show(idle * 100), '1', '0'],
		],
	);
}

function timed(work: () => unknown): number {
	const from = performance.now();
	work();
	return performance.now() - from;
}
