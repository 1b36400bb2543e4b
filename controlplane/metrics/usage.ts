/** From two looks at a kubelet to what is used in between (the rules are metrics-server's). Pure. */
import { containerKey, type Point, type Points } from './points.ts';

export interface Usage {
	/** Billionths of a core, over the window. */
	readonly cpuNanos: number;
	readonly memoryBytes: number;
	/** The window's end, ms since the epoch. */
	readonly at: number;
	readonly windowMs: number;
}

export interface Looks {
	readonly earlier: Points;
	readonly later: Points;
}

/** A window as short as that says nothing. */
const SHORTEST_MS = 100;

export function nodeUsage({ earlier, later }: Looks): Usage | undefined {
	return later.node === undefined ? undefined : usageOf(later.node, earlier.node, earlier.at);
}

export function containerUsage({ earlier, later }: Looks, namespace: string, pod: string, container: string): Usage | undefined {
	const key = containerKey(namespace, pod, container);
	const point = later.containers.get(key);
	return point === undefined ? undefined : usageOf(point, earlier.containers.get(key), earlier.at);
}

/** Of what started after the earlier look the window begins with its start. */
function usageOf(now: Point, before: Point | undefined, earlierAt: number): Usage | undefined {
	const { at, cpuSeconds, memoryBytes, startedAt = 0 } = now;
	const isNew = startedAt > (before?.at ?? earlierAt);
	if (before === undefined && !isNew) return undefined;
	const from = isNew ? startedAt : (before?.at ?? earlierAt);
	const used = isNew ? cpuSeconds : cpuSeconds - (before?.cpuSeconds ?? 0);
	const windowMs = Math.round(at - from);
	return windowMs < SHORTEST_MS || used < 0 ? undefined : { cpuNanos: Math.round((used / windowMs) * 1e12), memoryBytes, at, windowMs };
}
