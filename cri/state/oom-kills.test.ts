/** Why a container ended, where the engine did not hear of it. */
import { readdir, readlink } from 'node:fs/promises';
import test from 'ava';
import { createLog, noLog } from '../../base/log.ts';
import { fakeKernelLog } from '../../test/fakes/kernel-log.ts';
import { containerStatus } from '../convert/container-status.ts';
import type { Engine } from '../engine/engine.ts';
import { ContainerConfig } from '../proto.ts';
import { containersIn, OomKills } from './oom-kills.ts';
import { RuntimeState } from './state.ts';

const ID = 'a0'.repeat(32);
const OTHER = 'b1'.repeat(32);
const killedIn = (group: string): string =>
	`oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=c,mems_allowed=0,oom_memcg=/kubepods,task_memcg=${group},task=dd,pid=12,uid=0`;
const config = ContainerConfig.decode(Buffer.alloc(0));
const record = { id: ID, name: 'c', sandboxId: 's', config, imageId: '', imageRef: '', logPath: '', createdAtMs: 1 };
const Config = { StopSignal: 'SIGTERM' };

/** An engine that says of the container that it ended, and no more. */
const engineThatSays = (ExitCode: number, Error = ''): Engine => {
	const State = { Status: 'exited', StartedAt: '', FinishedAt: '', ExitCode, OOMKilled: false, Error };
	return { call: async () => ({ Id: ID, State, Config, HostConfig: {} }) } as unknown as Engine;
};

for (const [name, messages, exitCode, want] of [
	['its first process', [killedIn(`/kubepods/burstable/pod1/${ID}`)], 137, 'OOMKilled'],
	['another of its processes', [killedIn(`/docker/${ID}`)], 1, 'OOMKilled'],
	['one whose death its first process got over', [killedIn(`/docker/${ID}`)], 0, 'OOMKilled'],
	['one in a scope of systemd', [killedIn(`/kubepods.slice/docker-${ID}.scope`)], 137, 'OOMKilled'],
	['one in a group that it made', [killedIn(`/docker/${ID}/payload/${OTHER}`)], 137, 'OOMKilled'],
	['all of it', [`Tasks in /docker/${ID} are going to be killed due to memory.oom.group set`], 137, 'OOMKilled'],
	["another container's", [killedIn(`/docker/${OTHER}`)], 137, 'Error'],
	['none', ['eth0: link up'], 137, 'Error'],
] as const)
	test(`the engine missed it, and the kernel ended ${name}`, async (t) => {
		const kernel = await fakeKernelLog(t);
		using kills = new OomKills(kernel.path, noLog);
		const state = new RuntimeState(engineThatSays(exitCode), kills);
		state.addContainer(record);
		await kernel.write('EXT4-fs (vda): mounted', ...messages);
		t.is(containerStatus(await state.container(ID)).reason, want);
	});

test('what a log of thousands of messages says is found, and only what is new is read again', async (t) => {
	const kernel = await fakeKernelLog(t);
	await kernel.write(...Array.from({ length: 2000 }, () => 'eth0: link up'), killedIn(`/docker/${ID}`));
	using kills = new OomKills(kernel.path, noLog);
	t.deepEqual(await Promise.all([kills.has(ID), kills.has(OTHER)]), [true, false]);
	await kernel.write(killedIn(`/docker/${OTHER}`));
	t.deepEqual(await Promise.all([kills.has(OTHER), kills.has(ID)]), [true, true]);
});

test('no more is remembered than the youngest, and no file stays open', async (t) => {
	const kernel = await fakeKernelLog(t);
	const ids = Array.from({ length: 1001 }, (_, i) => i.toString(16).padStart(64, '0'));
	await kernel.write(...ids.map((id) => killedIn(`/docker/${id}`)));
	const kills = new OomKills(kernel.path, noLog);
	t.deepEqual(await Promise.all([ids[0], ids[1], ids[1000]].map((id = '') => kills.has(id))), [false, true, true]);
	kills[Symbol.dispose]();
	const open = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
	t.false(open.includes(kernel.path));
});

test('where the log cannot be read that is said once, and what the engine says stands', async (t) => {
	const lines: string[] = [];
	using kills = new OomKills('/nonexistent/kmsg', createLog({ level: 'info', write: (line) => void lines.push(line) }));
	const state = new RuntimeState(engineThatSays(137), kills);
	state.addContainer(record);
	t.is(containerStatus(await state.container(ID)).reason, 'Error');
	t.is(lines.length, 1);
	t.regex(lines[0] ?? '', /nonexistent\/kmsg.*ENOENT.*cannot read the log of the kernel/);
});

test('containersIn(): none where no container is', (t) => t.deepEqual(containersIn('/user.slice/user-0.slice'), []));
