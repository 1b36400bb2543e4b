/** Pods that come, run and go by the thousand on one simulated node: what the agent holds afterwards is what it held before. */
import { readdir } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SimulatedNode } from '../fakes/simulated-node.ts';
import { FDS_SPARE, openFiles } from '../tools/open-files.ts';

/** So many live at a time. */
const BATCH = 25;
/** Looks at what is held; the first half while things still warm up. */
const LOOKS = 10;

export interface ChurnFigures {
	readonly text: string;
	readonly problems: readonly string[];
}

/** Bytes of heap that a pod may leave. */
const MOST_BYTES = 1024;
/** Of fewer pods the heap tells little: compiled code comes and goes, and what remembers the last thousands of events fills up (some 2 KB a pod). Whole pods that stay are seen. */
const JUDGED = 8000;
const MOST_BYTES_OF_FEW = 8192;
/** Of fewer than these it tells nothing. */
const FEW = 1000;

export async function simulatedChurn(pods: number, log: (line: string) => void): Promise<ChurnFigures> {
	await using node = await SimulatedNode.start({ script: (_pod, name) => (name === 'init' ? { runMs: 10 } : { stopMs: 20 }) });
	const { api } = node.transport;
	for (const kind of ['secrets', 'configmaps'])
		api.create(`/api/v1/${kind}`, { metadata: { name: 's' }, data: { word: 'eA==' } } as never, 'n');
	const looks: { readonly pods: number; readonly bytes: number }[] = [];
	const held: Held[] = [];
	for (let done = 0; done < pods; ) {
		const size = Math.min(BATCH, pods - done);
		for (let i = 0; i < size; i++) await node.create(`p${done + i}`, SPEC);
		await node.advance(1000);
		for (let i = 0; i < size; i++) await node.delete(`p${done + i}`, 1);
		await node.advance(3000);
		done += size;
		if (done % Math.max(BATCH, Math.floor(pods / LOOKS / BATCH) * BATCH) !== 0 && done < pods) continue;
		// What only the server in memory and the record of requests remember.
		for (const { metadata } of api.list('/api/v1/events', () => true))
			api.delete('/api/v1/events', `${metadata.namespace}/${metadata.name}`);
		api.compact();
		node.transport.requests.length = 0;
		// Events are remembered for ten minutes, to be counted together.
		await node.advance(660_000);
		looks.push({ pods: done, bytes: heapBytes() });
		held.push(await heldBy(node));
		log(`${done} pods: ${((looks.at(-1)?.bytes ?? 0) / 2 ** 20).toFixed(2)} MiB, ${JSON.stringify(held.at(-1))}`);
	}
	const [before, after] = [held[Math.min(1, held.length - 1)], held.at(-1)];
	const problems = (Object.keys(after ?? {}) as (keyof Held)[])
		.filter((what) => (after?.[what] ?? 0) > (before?.[what] ?? 0) + (SPARE[what] ?? 0))
		.map((what) => `${what}: ${before?.[what]} became ${after?.[what]}`);
	if (pods < FEW) return { text: `${pods} simulated pods: ${problems.length} problems, the heap is not judged`, problems };
	// The line that fits the looks best.
	const bytesPerPod = slope(looks.slice(LOOKS / 2));
	if (bytesPerPod > (pods < JUDGED ? MOST_BYTES_OF_FEW : MOST_BYTES))
		problems.push(`the heap grows by ${bytesPerPod.toFixed(0)} bytes a pod`);
	return { text: `${pods} simulated pods: ${bytesPerPod.toFixed(0)} bytes of heap a pod, ${problems.length} problems`, problems };
}

const SPEC = {
	initContainers: [{ name: 'init', image: 'i' }],
	containers: [
		{
			name: 'c',
			image: 'i',
			env: [{ name: 'W', valueFrom: { secretKeyRef: { name: 's', key: 'word' } } }],
			readinessProbe: { exec: { command: ['ready'] }, periodSeconds: 5 },
			volumeMounts: [{ name: 'm', mountPath: '/m' }],
		},
	],
	volumes: [
		{ name: 'm', configMap: { name: 's' } },
		{ name: 's', secret: { secretName: 's' } },
		{ name: 'e', emptyDir: {} },
	],
};

interface Held {
	readonly files: number;
	readonly descriptors: number;
	readonly timers: number;
	readonly containers: number;
	readonly workers: number;
	readonly watches: number;
}

/** How many more are no leak; none unless told. */
const SPARE: Partial<Held> = { descriptors: FDS_SPARE };

async function heldBy(node: SimulatedNode): Promise<Held> {
	return {
		files: (await readdir(node.rootDir, { recursive: true })).length,
		descriptors: await openFiles(process.pid),
		timers: node.clock.pending,
		containers: (await node.runtime.pods()).length,
		workers: node.workers.lives.length,
		watches: node.transport.watches,
	};
}

let collect: (() => void) | undefined;

function heapBytes(): number {
	if (collect === undefined) {
		setFlagsFromString('--expose-gc');
		collect = runInNewContext('gc') as () => void;
	}
	for (let i = 0; i < 2; i++) collect();
	return process.memoryUsage().heapUsed;
}

/** Of the line of least squares. Pure. */
function slope(looks: readonly { readonly pods: number; readonly bytes: number }[]): number {
	const mean = (of: (look: (typeof looks)[number]) => number): number => looks.reduce((sum, look) => sum + of(look), 0) / looks.length;
	const [x, y] = [mean((l) => l.pods), mean((l) => l.bytes)];
	const over = looks.reduce((sum, l) => sum + (l.pods - x) * (l.bytes - y), 0);
	const under = looks.reduce((sum, l) => sum + (l.pods - x) ** 2, 0);
	return under === 0 ? 0 : over / under;
}
