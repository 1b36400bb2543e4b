/** What `kubeling status` tells: from the data folder's lock and, when the cluster runs, from its API. */
import { isNodeReady } from '../api/pod/node-ready.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realClock } from '../base/clock.ts';
import { withDeadline } from '../base/abort.ts';
import { NODES, PODS } from '../api/resources.ts';
import { readAccess } from './access.ts';
import { readClusterState } from './data-folder.ts';
import { holderOf } from './lock.ts';
import { clientOf } from './parts/client.ts';

export type ClusterStatus =
	| { readonly state: 'absent' | 'stopped'; readonly name: string; readonly dataDir: string }
	| {
			readonly state: 'running';
			readonly name: string;
			readonly dataDir: string;
			readonly server: string;
			readonly pid: number;
			/** Proportional set size of its process. */
			readonly memoryMib: number;
			readonly nodes: readonly { readonly name: string; readonly ready: boolean }[];
			/** How many by phase. */
			readonly pods: Readonly<Record<string, number>>;
	  };

const ANSWER_MS = 5000;

export async function readClusterStatus(name: string, dataDir: string): Promise<ClusterStatus> {
	if ((await readClusterState(dataDir)) === undefined) return { state: 'absent', name, dataDir };
	const holder = await holderOf(dataDir);
	if (holder === undefined) return { state: 'stopped', name, dataDir };
	const access = await readAccess(dataDir);
	const file = (leaf: string): string => join(dataDir, 'pki', leaf);
	const client = clientOf(
		{ server: access.server, caFile: file('ca.crt'), certFile: file('admin.crt'), keyFile: file('admin.key') },
		realClock,
		'kubeling-status',
	);
	using deadline = withDeadline(realClock, ANSWER_MS, `The answer of ${access.server}`);
	try {
		const [nodes, pods] = await Promise.all([
			client.list(NODES, { signal: deadline.signal }),
			client.list(PODS, { signal: deadline.signal }),
		]);
		return {
			state: 'running',
			name,
			dataDir,
			server: access.server,
			pid: holder.pid,
			memoryMib: Math.round((await pssKib(holder.pid)) / 1024),
			nodes: nodes.items.map((node) => ({ name: node.metadata.name ?? '', ready: isNodeReady(node) })),
			pods: Object.fromEntries(
				[...Map.groupBy(pods.items, (pod) => pod.status?.phase ?? 'Unknown')].map(([phase, of]) => [phase, of.length]),
			),
		};
	} finally {
		await client.transport.close();
	}
}

async function pssKib(pid: number): Promise<number> {
	const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
	return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}
