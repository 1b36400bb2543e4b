/**
 * Which process serves a node, kept beside what the node has mounted: so others on the host know a node that is gone for good from one that goes on.
 */
import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readStateInMemory, writeStateInMemory } from '../../base/files.ts';
import { processStat } from '../../host/process.ts';

const VERSION = 1;

interface Served {
	readonly pid: number;
	readonly startTicks: number;
	/** In which the pid is one. */
	readonly namespace: string;
}

const fileIn = (dir: string): string => join(dir, '.process.json');
const namespace = (): string => readlinkSync('/proc/self/ns/pid');

/** This process serves the node of the folder from now on. */
export async function serveNode(dir: string): Promise<void> {
	const { startTicks = 0 } = (await processStat(process.pid)) ?? {};
	writeStateInMemory(fileIn(dir), VERSION, { pid: process.pid, startTicks, namespace: namespace() } satisfies Served);
}

/** Whether nobody serves the node any more. One of another process namespace, which cannot be told, counts as served. */
export async function isAbandoned(dir: string): Promise<boolean> {
	const served = readStateInMemory<Served>(fileIn(dir), VERSION);
	if (served?.pid === undefined || served.namespace !== namespace()) return false;
	return (await processStat(served.pid))?.startTicks !== served.startTicks;
}
