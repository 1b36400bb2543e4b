/** What the kernel writes of processes that it ends, in the words of several kernels. */
import test from 'ava';
import { BEGIN, GLOBAL, GROUP, KILLED } from '../test/fakes/kernel-log.ts';
import { OomReader, victimGroup } from './oom-killer.ts';

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

const CONTAINER = '/kubepods/burstable/pod1/0a';
for (const [name, message, want] of [
	[
		'the limit of the group',
		`oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=0a,mems_allowed=0,oom_memcg=${CONTAINER},task_memcg=${CONTAINER},task=dd,pid=12,uid=0`,
		CONTAINER,
	],
	[
		'the limit of a group above',
		`oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=0a,mems_allowed=0,oom_memcg=/kubepods,task_memcg=${CONTAINER},task=a,pid=9,pid=12,uid=0`,
		CONTAINER,
	],
	["the machine's own", GLOBAL, '/user.slice'],
	['before 5.0', `Task in ${CONTAINER} killed as a result of limit of /kubepods`, CONTAINER],
	['all of a group', `Tasks in ${CONTAINER} are going to be killed due to memory.oom.group set`, CONTAINER],
	['the process alone', 'Memory cgroup out of memory: Killed process 12 (dd) total-vm:22748kB', undefined],
	['another message', 'eth0: link up', undefined],
] as const)
	test(`victimGroup(): ${name}`, (t) => t.is(victimGroup(message), want));
