/** What many objects take: the process's memory while they are written at the rate asked for, and the rate that came of it. */
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { h2load, type Target } from './api-target.ts';
import { pssBytes } from './figures.ts';

const CLIENTS = 64;
const WRITES_PER_SECOND = 3000;
/** So that an object is 1.7 KB as stored. */
const DATA = 'x'.repeat(1300);

export interface ManyObjects {
	/** The most that was seen, bytes of PSS. */
	readonly peak: number;
	readonly perSecond: number;
}

export async function manyObjects(target: Target, pid: number, objects: number, bodyFile: string): Promise<ManyObjects> {
	const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'memory-' }, data: { data: DATA } };
	await writeFile(bodyFile, JSON.stringify(object));
	const load = ['-n', `${objects}`, '-c', `${CLIENTS}`, '-m', '1', `--rps=${Math.ceil(WRITES_PER_SECOND / CLIENTS)}`, '-d', bodyFile];
	let peak = 0;
	let done = false;
	const watched = (async () => {
		while (!done) {
			peak = Math.max(peak, await pssBytes(pid));
			await sleep(500);
		}
	})();
	const path = '/api/v1/namespaces/default/configmaps?fieldManager=bench';
	const perSecond = await h2load(target, path, [...load, '-H', 'content-type: application/json']).finally(() => (done = true));
	await watched;
	return { peak: Math.max(peak, await pssBytes(pid)), perSecond };
}
