/** Jobs that have ended. Pure. */
import type { Job } from '../../../api/gen/types.ts';

/** How it ended; undefined while it has not. */
export function endOf(job: Job): 'Complete' | 'Failed' | undefined {
	const found = (job.status?.conditions ?? []).find((c) => (c.type === 'Complete' || c.type === 'Failed') && c.status === 'True')?.type;
	return found === 'Complete' || found === 'Failed' ? found : undefined;
}

/** The one that started first is first. */
export function byStart(a: Job, b: Job): number {
	const start = (job: Job): number => Date.parse(job.status?.startTime ?? '') || Infinity;
	const [x, y] = [start(a), start(b)];
	return x === y ? ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1) : x - y;
}
