/** Figures of pods on the real engine, and what is computed from recorded ones. */
import { mkdtemp, link, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { containerConfig, ensureTestImage, sandboxConfig, startTestShim, liveTests } from '../../test/tools/cri.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { ContainerState } from '../proto.ts';
import { psiOf } from './collector.ts';
import { LayerUsage, walk } from './layer-usage.ts';
import { containerMetrics, METRIC_DESCRIPTORS, networkMetrics } from './pod-metrics.ts';

const { engine, live } = await liveTests(test);

test('a layer is as large as its blocks, a file with two names once', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-layer-'));
	t.teardown(() => rm(dir, { recursive: true }));
	await mkdir(join(dir, 'a'));
	await writeFile(join(dir, 'a', 'file'), Buffer.alloc(100_000));
	const before = await walk(dir);
	await link(join(dir, 'a', 'file'), join(dir, 'b'));
	const { usedBytes, inodes } = await walk(dir);
	t.is(inodes, 3n);
	t.is(inodes, before.inodes);
	t.true(usedBytes >= 100_000n && usedBytes < 200_000n, String(usedBytes));
	const clock = new VirtualClock(0);
	const layers = new LayerUsage(clock);
	t.is(layers.size('c', dir).inodes, 0n, 'nobody waits for a walk');
	await layers.settled();
	t.is(layers.size('c', dir).inodes, 3n);
	await writeFile(join(dir, 'c'), 'x');
	t.is(layers.size('c', dir).inodes, 3n, 'an answer is good for a while');
	await clock.advance(11_000);
	layers.size('c', dir);
	await layers.settled();
	t.is(layers.size('c', dir).inodes, 4n);
});

test('every metric has a descriptor, and as many labels as it says', (t) => {
	const keys = new Map(METRIC_DESCRIPTORS.map((d) => [d.name, d.labelKeys.length]));
	t.is(keys.size, METRIC_DESCRIPTORS.length, 'a name is there once');
	const subject = { labels: ['id', 'name', 'image', 'container', 'pod', 'namespace'], timestamp: 1n };
	const line = { totalNanos: 2_500_000_000n, avg10: 1, avg60: 2, avg300: 3 };
	const pressure = { some: line, full: line };
	const usage = {
		...{ cpuNanos: 3_900_000_000n, memoryBytes: 1n, workingSetBytes: 1n, rssBytes: 1n, memoryLimitBytes: undefined, swapBytes: 0n },
		...{ pageFaults: 1n, majorPageFaults: 1n },
	};
	const details = {
		...{ cpuUserNanos: 0n, cpuSystemNanos: 0n, periods: 0n, throttledPeriods: 0n, throttledNanos: 0n, cacheBytes: 0n },
		...{ mappedFileBytes: 0n, kernelBytes: 0n, maxUsageBytes: 0n, limitHits: 0n, burstPeriods: 0n, burstNanos: 0n },
		...{ activeFileBytes: 0n, inactiveFileBytes: 0n, ownPageFaults: 0n, ownMajorPageFaults: 0n, oomKills: 0n },
		devices: [{ device: '8:0', readBytes: 1n, writtenBytes: 2n, reads: 3n, writes: 4n }],
	};
	const pressures = { cpu: pressure, memory: pressure, io: pressure };
	const facts = { usage, processes: 1n, details, pressures, layer: { usedBytes: 5n, inodes: 6n }, startedAtSeconds: 7n, nowSeconds: 8n };
	const all = [
		...containerMetrics(subject, facts),
		...networkMetrics(subject, [{ name: 'eth0', counters: Array(16).fill(1n) as bigint[] }]),
	];
	for (const metric of all) t.is(metric.labelValues.length, keys.get(metric.name) ?? -1, metric.name);
	t.deepEqual(new Set(all.map((m) => m.name)), new Set(keys.keys()), 'and every descriptor has its metric');
	t.is(all.find((m) => m.name === 'container_cpu_usage_seconds_total')?.value?.value, 3n);
	t.deepEqual(psiOf(pressure)?.Some, { Total: 2_500_000_000n, Avg10: 1, Avg60: 2, Avg300: 3 });
});

live('stats and metrics of a pod: processor, memory, what it wrote, its interface', async (t) => {
	await ensureTestImage(engine as Exclude<typeof engine, string>);
	const shim = await startTestShim(`st${process.pid}`);
	t.teardown(() => shim.stop());
	const config = sandboxConfig('st', { logDirectory: join(shim.dir, 'logs') });
	const { podSandboxId } = await shim.runtime.runPodSandbox({ config, runtimeHandler: '' });
	const script = 'busybox dd if=/dev/zero of=/written bs=1k count=500; while :; do :; done';
	const { containerId } = await shim.runtime.createContainer({
		podSandboxId,
		config: containerConfig('main', ['sh', '-c', script]),
		sandboxConfig: config,
	});
	await shim.runtime.startContainer({ containerId });
	const { status } = await shim.runtime.containerStatus({ containerId, verbose: false });
	t.is(status?.state, ContainerState.CONTAINER_RUNNING);
	const stats = await eventually(
		'the figures are there',
		async () => {
			const { stats: found } = await shim.runtime.listContainerStats({ filter: undefined });
			const one = found[0];
			return (one?.cpu?.usageNanoCores?.value ?? 0n) > 0n && (one?.writableLayer?.usedBytes?.value ?? 0n) > 400_000n ? one : undefined;
		},
		120_000,
	);
	t.is(stats.attributes?.id, containerId);
	t.true((stats.memory?.workingSetBytes?.value ?? 0n) > 0n);
	const pod = (await shim.runtime.podSandboxStats({ podSandboxId })).stats;
	t.is(pod?.linux?.network?.defaultInterface?.name, 'eth0');
	t.true((pod?.linux?.process?.processCount?.value ?? 0n) >= 2n, 'the pause process counts too');
	t.is(pod?.linux?.containers.length, 1);
	const { podMetrics } = await shim.runtime.listPodSandboxMetrics({});
	t.is(podMetrics.length, 1);
	const named = (name: string): string[] | undefined =>
		podMetrics[0]?.containerMetrics[0]?.metrics.find((m) => m.name === name)?.labelValues;
	t.deepEqual(named('container_memory_usage_bytes')?.slice(3), ['main', 'st', 'default']);
	const { descriptors } = await shim.runtime.listMetricDescriptors({});
	t.is(descriptors.length, METRIC_DESCRIPTORS.length);
	await shim.runtime.removePodSandbox({ podSandboxId });
});
