/** Pods of a real engine that come, run and go: what the agent, the shim and the machine hold afterwards is what they held before. A network namespace has its end on the bridge, which is looked at. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CONFIG_MAPS, SECRETS } from '../../../api/resources.ts';
import { readMounts } from '../../../host/mounts.ts';
import { ENGINE_SOCKET, TEST_IMAGE } from '../../tools/cri.ts';
import { eventually } from '../../tools/eventually.ts';
import type { Holdings } from '../../tools/killable-process.ts';
import { FDS_SPARE } from '../../tools/open-files.ts';
import { leaksOf, settled } from '../cri/leaks.ts';
import { NAMESPACE, type NodePlace, STAYS } from './node-place.ts';

/** So many live at a time. */
const BATCH = 10;
/** What is removed a moment after its pod is gone: collectors of folders and sandboxes come by once a minute. */
const BOUND_MS = 150_000;

interface Held {
	readonly agent: Holdings;
	readonly shim: Holdings;
	readonly things: readonly string[];
}

export async function realChurn(place: NodePlace, pods: number, log: (line: string) => void): Promise<readonly string[]> {
	const metadata = { namespace: NAMESPACE, name: 'churn' };
	await place.client.create(SECRETS, { metadata, data: { word: 'eA==' } });
	await place.client.create(CONFIG_MAPS, { metadata, data: { word: 'x' } });
	await batch(place, 'warm', BATCH);
	const before = await heldBy(place);
	for (let done = 0; done < pods; done += BATCH) {
		await batch(place, `b${done}`, Math.min(BATCH, pods - done));
		if ((done / BATCH) % 10 === 9) log(`${done + BATCH} pods; ${JSON.stringify((await heldBy(place)).agent)}`);
	}
	return settled(async () => left(before, await heldBy(place), await leaksOf(place.shim, ENGINE_SOCKET, before.shim)), BOUND_MS);
}

async function batch(place: NodePlace, prefix: string, size: number): Promise<void> {
	for (let i = 0; i < size; i++)
		await place.create(`${prefix}-${i}`, {
			containers: [
				{
					...{ name: 'c', image: TEST_IMAGE, imagePullPolicy: 'IfNotPresent', command: STAYS },
					volumeMounts: [
						{ name: 'map', mountPath: '/map' },
						{ name: 'memory', mountPath: '/memory' },
						{ name: 'disk', mountPath: '/part', subPath: 'part' },
					],
				},
			],
			volumes: [
				{ name: 'map', configMap: { name: 'churn' } },
				{ name: 'secret', secret: { secretName: 'churn' } },
				{ name: 'memory', emptyDir: { medium: 'Memory' } },
				{ name: 'disk', emptyDir: {} },
			],
		});
	await place.ready(size);
	await place.clear();
}

async function heldBy(place: NodePlace): Promise<Held> {
	const [agent, shim] = [await place.agent.holdings(), await place.shim.holdings()];
	const files = await filesBelow(place.dir);
	const mounts = (await readMounts()).filter(({ path }) => path.startsWith(`${place.dir}/`)).map(({ path }) => `mount ${path}`);
	const cgroups = await cgroupsBelow(place.cgroup);
	return { agent, shim, things: [...files.map((path) => `file ${path}`), ...mounts, ...cgroups.map((path) => `cgroup ${path}`)] };
}

function left(before: Held, now: Held, ofShim: readonly string[]): readonly string[] {
	const there = new Set(before.things);
	const { fds, children } = now.agent;
	return [
		...ofShim,
		...now.things.filter((thing) => !there.has(thing)),
		...(fds > before.agent.fds + FDS_SPARE ? [`file descriptors of the agent: ${fds}, ${before.agent.fds} before`] : []),
		...(children > before.agent.children ? [`child processes of the agent: ${children}, ${before.agent.children} before`] : []),
	];
}

/** A folder that goes away meanwhile is not there: looked at anew. */
async function filesBelow(folder: string): Promise<readonly string[]> {
	return eventually('files hold still', () => readdir(folder, { recursive: true }).catch(ignoreMissing));
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
	if (error.code !== 'ENOENT') throw error;
}

async function cgroupsBelow(parent: string): Promise<readonly string[]> {
	const all = await Promise.all(
		['', ...(await readdir('/sys/fs/cgroup').catch(() => []))].map(async (hierarchy) => {
			const entries = await readdir(join('/sys/fs/cgroup', hierarchy, parent), { recursive: true, withFileTypes: true }).catch(() => []);
			return entries.filter((e) => e.isDirectory()).map((e) => join(e.parentPath, e.name));
		}),
	);
	return all.flat();
}
