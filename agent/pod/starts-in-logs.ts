/** How often containers were started that the runtime no longer has, by what is left of them: their logs. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '../../api/gen/types.ts';
import type { PodRuntime } from '../runtime/runtime.ts';
import { containersOf } from './containers.ts';
import { podLogFolder } from './folders.ts';

/** By name; a pod that never ran here is not looked for. */
export async function startsInLogs(pod: Pod, seen: PodRuntime | undefined, podLogsDir: string): Promise<ReadonlyMap<string, number>> {
	const starts = new Map<string, number>();
	if (seen === undefined && pod.status?.startTime === undefined) return starts;
	const gone = containersOf(pod).filter((c) => seen?.containers.some((r) => r.name === c.spec.name) !== true);
	await Promise.all(
		gone.map(async ({ spec: { name } }) => {
			const logs = await readdir(join(podLogFolder(podLogsDir, pod), name)).catch(() => []);
			const highest = highestLog(logs);
			if (highest !== undefined) starts.set(name, highest + 1);
		}),
	);
	return starts;
}

/** Of "0.log", "3.log" and rotated ones as "2.log.20260102-150405.gz": 3. Pure. */
export function highestLog(names: readonly string[]): number | undefined {
	const numbers = names.flatMap((name) => /^(\d+)\.log(?:\.|$)/.exec(name)?.[1] ?? []).map(Number);
	return numbers.length === 0 ? undefined : Math.max(...numbers);
}
