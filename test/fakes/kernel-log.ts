/** A file that is read as the kernel's log is, and what the kernel writes there of memory. */
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

export const BEGIN = 'stress invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO), order=0, oom_score_adj=0';
export const GLOBAL =
	'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/user.slice,task=stress,pid=4711,uid=0';
export const KILLED = 'Out of memory: Killed process 4711 (stress) total-vm:8394752kB, anon-rss:7000000kB, file-rss:0kB';
export const GROUP =
	'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=c1,mems_allowed=0,oom_memcg=/kubepods/pod1/c1,task_memcg=/kubepods/pod1/c1,task=a b,pid=12,uid=0';

/** As the device gives it each read is one record, so here each fills what is read at once. */
const record = (message: string): string => `6,1,1,-;${message}\n SUBSYSTEM=memory`.padEnd(8192);

export interface FakeKernelLog {
	readonly path: string;
	write(...messages: readonly string[]): Promise<void>;
}

export async function fakeKernelLog(t: ExecutionContext): Promise<FakeKernelLog> {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-kmsg-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const path = join(folder, 'kmsg');
	await writeFile(path, '');
	return { path, write: (...messages) => appendFile(path, messages.map(record).join('')) };
}
