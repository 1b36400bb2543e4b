/**
 * A pod's start and end through the API beside their floor, interleaved in one run: create to Running as a watch sees it, against the raw engine's
 * create and start of a sandbox on its own bridge and of a container that joins it; delete to gone beyond the grace that was really used.
 */
import type { Pod } from '../../api/gen/types.ts';
import { PODS } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { accessFromKubeconfig } from '../../client/credentials.ts';
import { createTransport } from '../../client/http2.ts';
import { kubeconfigPaths, loadKubeconfig } from '../../client/kubeconfig.ts';
import { createClient } from '../../client/rest.ts';
import { testCluster, type TestCluster } from '../e2e/cluster.ts';
import { ensureTestImage, TEST_IMAGE, testEngine } from '../tools/cri.ts';
import { median, percentile, printFigures } from './figures.ts';
import { rawPod } from './pod-start-raw.ts';

/** What a container that ignores TERM is given at least: upstream's minimumGracePeriodInSeconds. */
const LEAST_GRACE_MS = 2000;

interface Laps {
	readonly running: number;
	readonly gone: number;
}

export async function bench(args: readonly string[]): Promise<void> {
	const rounds = Number(args[0] ?? 20);
	const engine = await testEngine();
	if (typeof engine === 'string') throw new Error(`No engine to measure: ${engine}`);
	await ensureTestImage(engine);
	await using cluster = await testCluster('bench');
	await cluster.up();
	await using closing = new AsyncDisposableStack();
	const client = await connect(cluster, closing);
	const [floor, obeying, ignoring]: [number[], Laps[], Laps[]] = [[], [], []];
	for (let i = -1; i < rounds; i++) {
		const raw = await rawPod(engine, `kubeling-bench-floor-${process.pid}-${i}`);
		const first = await pod(client, `obeying-${i + 1}`, ["trap 'exit 0' TERM; busybox sleep 3600 & wait"]);
		const second = i % 4 === 0 ? await pod(client, `ignoring-${i + 1}`, ["trap '' TERM; busybox sleep 3600"]) : undefined;
		if (i < 0) continue; // the first of each warms caches
		floor.push(raw.sandbox + raw.create + raw.start);
		obeying.push(first);
		if (second !== undefined) ignoring.push(second);
	}
	const running = [...obeying, ...ignoring].map((l) => l.running);
	const gone = obeying.map((l) => l.gone);
	const beyond = ignoring.map((l) => l.gone - LEAST_GRACE_MS);
	const half = [{ of: 'value', atMost: 500 }] as const;
	const tenth = (values: readonly number[]): number => percentile(values, 0.9);
	printFigures([
		{ name: 'pod create to Running, p50 ms', value: median(running), floor: median(floor), goals: [{ of: 'ratio', atMost: 0.9 }] },
		{ name: 'the same, p90 ms', value: tenth(running), floor: tenth(floor) },
		{ name: 'pod delete to gone, container ends at TERM, p50 ms', value: median(gone), goals: half },
		{ name: 'the same, p90 ms', value: tenth(gone) },
		{ name: 'the same, TERM ignored, beyond 2 s of grace, p50 ms', value: median(beyond), goals: half },
	]);
}

async function connect(cluster: TestCluster, closing: AsyncDisposableStack): Promise<Client> {
	const config = await loadKubeconfig(kubeconfigPaths(cluster.env));
	const transport = createTransport(accessFromKubeconfig(config, realClock).transport);
	closing.adopt(transport, (t) => t.close());
	return createClient(transport, { userAgent: 'bench' });
}

/** One pod's life as a watch opened before it sees it. */
async function pod(client: Client, name: string, shell: readonly string[]): Promise<Laps> {
	const stop = new AbortController();
	const [ran, gone] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
	const { metadata } = await client.list(PODS, { namespace: 'default', limit: 1 });
	const watching = (async (): Promise<void> => {
		const selection = { namespace: 'default', fieldSelector: `metadata.name=${name}`, resourceVersion: metadata.resourceVersion ?? '' };
		for await (const { type, object } of client.watch(PODS, { ...selection, signal: stop.signal })) {
			if (type === 'DELETED') gone.resolve(performance.now());
			else if (object.status?.phase === 'Running') ran.resolve(performance.now());
		}
	})();
	watching.catch((error: unknown) => {
		ran.reject(error);
		gone.reject(error);
	});
	const made: Pod = {
		apiVersion: 'v1',
		kind: 'Pod',
		metadata: { name, namespace: 'default' },
		spec: {
			terminationGracePeriodSeconds: 1,
			containers: [{ name: 'app', image: TEST_IMAGE, imagePullPolicy: 'IfNotPresent', command: ['busybox', 'sh', '-c', ...shell] }],
		},
	};
	const created = performance.now();
	await client.create(PODS, made);
	const running = (await ran.promise) - created;
	const deleted = performance.now();
	await client.delete(PODS, `default/${name}`);
	const laps = { running, gone: (await gone.promise) - deleted };
	stop.abort();
	return laps;
}
