/** What the kernel writes of processes that it ends, in the words of several kernels. */
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createLog, noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { OomReader, tellSystemOoms } from './system-oom.ts';

const BEGIN = 'stress invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO), order=0, oom_score_adj=0';
const GLOBAL =
	'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/user.slice,task=stress,pid=4711,uid=0';
const KILLED = 'Out of memory: Killed process 4711 (stress) total-vm:8394752kB, anon-rss:7000000kB, file-rss:0kB';
const GROUP =
	'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=c1,mems_allowed=0,oom_memcg=/kubepods/pod1/c1,task_memcg=/kubepods/pod1/c1,task=a b,pid=12,uid=0';

for (const [name, messages, want] of [
	["the machine's own memory", [BEGIN, 'CPU: 1 PID: 4711 Comm: stress', GLOBAL, KILLED], [{ limit: '/', process: 'stress', pid: 4711 }]],
	[
		"a group's limit",
		[BEGIN, GROUP, 'Memory cgroup out of memory: Killed process 12 (a b)'],
		[{ limit: '/kubepods/pod1/c1', process: 'a b', pid: 12 }],
	],
	[
		"a group's limit, before 5.0",
		[BEGIN, 'Task in /kubepods/pod1/c1 killed as a result of limit of /kubepods/pod1', 'Killed process 7 (x) total-vm:1kB'],
		[{ limit: '/kubepods/pod1', process: 'x', pid: 7 }],
	],
	['nothing that did not begin', [GLOBAL, KILLED, 'eth0: link up'], []],
	[
		'one after the other',
		[BEGIN, GROUP, BEGIN, KILLED],
		[
			{ limit: '/kubepods/pod1/c1', process: 'a b', pid: 12 },
			{ limit: '/', process: 'stress', pid: 4711 },
		],
	],
] as const)
	test(`OomReader: ${name}`, (t) => {
		const reader = new OomReader();
		t.deepEqual(
			messages.flatMap((message) => reader.next(message) ?? []),
			[...want],
		);
	});

/** As the device gives it: each read is one record, so here each fills what is read at once. */
const record = (message: string): string => `6,1,1,-;${message}\n SUBSYSTEM=memory`.padEnd(8192);

test('what the machine ran out of memory for is an event of the node, when it is read and later; what a group ran out of is none', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'kubeling-kmsg-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const path = join(folder, 'kmsg');
	await writeFile(path, [BEGIN, GLOBAL, KILLED, BEGIN, GROUP].map(record).join(''));
	const clock = new VirtualClock();
	const events: string[][] = [];
	const stop = new AbortController();
	const telling = tellSystemOoms(path, { clock, log: noLog, event: (...event) => events.push(event) }, stop.signal);
	const want = ['Warning', 'SystemOOM', 'System OOM encountered, victim process: stress, pid: 4711'];
	await clock.advance(6000);
	t.deepEqual(events, [want]);
	await appendFile(path, [BEGIN, GLOBAL, KILLED].map(record).join(''));
	await clock.advance(6000);
	t.deepEqual(events, [want, want]);
	stop.abort();
	await telling;
});

test('where the log of the kernel cannot be read, that is said, and nothing fails', async (t) => {
	const lines: string[] = [];
	const log = createLog({ level: 'info', write: (line) => void lines.push(line) });
	const path = '/nonexistent/kmsg';
	await tellSystemOoms(path, { clock: new VirtualClock(), log, event: () => t.fail() }, new AbortController().signal);
	t.is(lines.length, 1);
	t.regex(lines[0] ?? '', /nonexistent\/kmsg.*ENOENT.*cannot read the log of the kernel/);
});
