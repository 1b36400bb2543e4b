/** What the node tells of processes that the kernel ends. */
import test from 'ava';
import { createLog, noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { BEGIN, fakeKernelLog, GLOBAL, GROUP, KILLED } from '../../test/fakes/kernel-log.ts';
import { tellSystemOoms } from './system-oom.ts';

test('what the machine ran out of memory for is an event of the node, when it is read and later; what a group ran out of is none', async (t) => {
	const kernel = await fakeKernelLog(t);
	await kernel.write(BEGIN, GLOBAL, KILLED, BEGIN, GROUP);
	const clock = new VirtualClock();
	const events: string[][] = [];
	const stop = new AbortController();
	const telling = tellSystemOoms(kernel.path, { clock, log: noLog, event: (...event) => events.push(event) }, stop.signal);
	const want = ['Warning', 'SystemOOM', 'System OOM encountered, victim process: stress, pid: 4711'];
	await clock.advance(6000);
	t.deepEqual(events, [want]);
	await kernel.write(BEGIN, GLOBAL, KILLED);
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
