/** What many objects take: the process's memory while they are written at the rate asked for, and the rate that came of it. */
import { writeFile } from 'node:fs/promises';
import { h2load, type Target } from './api-target.ts';
import { peakPssBytes } from './figures.ts';

const CLIENTS = 64;
const WRITES_PER_SECOND = 3000;
/** So that an object is 1.7 KB as stored. */
const DATA = 'x'.repeat(1300);

export interface ManyObjects {
	/** The most that there was, bytes of PSS. */
	readonly peak: number;
	readonly perSecond: number;
}

export async function manyObjects(target: Target, pid: number, objects: number, bodyFile: string): Promise<ManyObjects> {
	const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'memory-' }, data: { data: DATA } };
	await writeFile(bodyFile, JSON.stringify(object));
	const load = ['-n', `${objects}`, '-c', `${CLIENTS}`, '-m', '1', `--rps=${Math.ceil(WRITES_PER_SECOND / CLIENTS)}`, '-d', bodyFile];
	const path = '/api/v1/namespaces/default/configmaps?fieldManager=bench';
	const perSecond = await h2load(target, path, [...load, '-H', 'content-type: application/json']);
	return { peak: await peakPssBytes(pid), perSecond };
}
