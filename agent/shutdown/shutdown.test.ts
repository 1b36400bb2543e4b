/** The node's shutdown: which pods end when, in virtual time; and the wire to a logind that a test plays on a bus of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Pod } from '../../api/gen/types.ts';
import { noLog } from '../../base/log.ts';
import { Registry } from '../../base/metrics.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { Bus } from '../../host/dbus/bus.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { settingsOf } from '../config/settings.ts';
import { shutdownFaults, shutdownSettingsOf } from '../config/shutdown-settings.ts';
import { graceSecondsOf, groupsOf } from './groups.ts';
import { connectLogin, type Login } from './login.ts';
import { NODE_SHUTDOWN, NodeShutdown, type ShutdownDeps } from './shutdown.ts';

const NEVER = new AbortController().signal;
const CRITICAL = 2_000_000_000;
const pod = (name: string, priority?: number, graceSeconds?: number): Pod => ({
	metadata: { name, uid: name },
	spec: {
		containers: [],
		...(priority === undefined ? {} : { priority }),
		...(graceSeconds === undefined ? {} : { terminationGracePeriodSeconds: graceSeconds }),
	},
});

for (const [name, given, want] of [
	['off by default', {}, []],
	[
		'two groups',
		{ shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' },
		[
			{ priority: 0, graceSeconds: 20 },
			{ priority: CRITICAL, graceSeconds: 10 },
		],
	],
	[
		'a list, lowest first',
		{
			shutdownGracePeriodByPodPriority: [
				{ priority: 1000, shutdownGracePeriodSeconds: 5 },
				{ priority: 0, shutdownGracePeriodSeconds: 60 },
			],
		},
		[
			{ priority: 0, graceSeconds: 60 },
			{ priority: 1000, graceSeconds: 5 },
		],
	],
] as const)
	test(`shutdownSettingsOf(): ${name}`, (t) => t.deepEqual(shutdownSettingsOf(given), [...want]));

for (const [given, want] of [
	[{ shutdownGracePeriod: '5s', shutdownGracePeriodCriticalPods: '10s' }, /CriticalPods must be <= shutdownGracePeriod/],
	[{ shutdownGracePeriod: '500ms' }, /must be either zero or otherwise >= 1 sec/],
	[
		{ shutdownGracePeriod: '5s', shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 1 }] },
		/cannot specify both/,
	],
] as const)
	test(`shutdownFaults(): ${want.source}`, (t) => t.regex(shutdownFaults(given).join(), want));

test('groupsOf(): a pod belongs to the highest group that is not above it', (t) => {
	const settings = [0, 100, 1000].map((priority) => ({ priority, graceSeconds: 10 }));
	const pods = [pod('low', -5), pod('none'), pod('mid', 500), pod('edge', 1000), pod('top', CRITICAL)];
	t.deepEqual(
		groupsOf(settings, pods).map((group) => group.pods.map((p) => p.metadata.name)),
		[['low', 'none'], ['mid'], ['edge', 'top']],
	);
	t.deepEqual(
		[graceSecondsOf(pod('a', 0, 3), { priority: 0, graceSeconds: 10 }), graceSecondsOf(pod('a', 0, 30), { priority: 0, graceSeconds: 10 })],
		[3, 10],
	);
});

interface Played {
	readonly clock: VirtualClock;
	readonly shutdown: NodeShutdown;
	readonly said: string[];
	readonly stateFile: string;
	/** logind's word. */
	announce(begins: boolean): Promise<void>;
}

/** A shutdown manager over a logind that is played; pods take as many seconds to end as `takes` says. */
async function play(t: ExecutionContext, pods: readonly Pod[], takes: (uid: string) => number, maxDelayMs = 60_000): Promise<Played> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-shutdown-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	const clock = new VirtualClock(Date.UTC(2026, 0, 1));
	const said: string[] = [];
	const seconds = (): number => (clock.now() - Date.UTC(2026, 0, 1)) / 1000;
	const say = (text: string): void => void said.push(`${Math.round(seconds())} ${text}`);
	const words: boolean[] = [];
	let wake: () => void = () => {};
	let delay = maxDelayMs;
	const login: Login = {
		maxDelayMs: () => Promise.resolve(delay),
		raiseMaxDelay: (ms) => {
			say(`raise ${ms}`);
			delay = ms;
			return Promise.resolve();
		},
		delayShutdown: () => {
			say('lock');
			return Promise.resolve({ [Symbol.dispose]: () => say('unlock') });
		},
		async *shutdowns(signal) {
			signal.addEventListener('abort', () => wake(), { once: true });
			while (!signal.aborted) {
				for (let one = words.shift(); one !== undefined; one = words.shift()) yield one;
				await new Promise<void>((resolve) => (wake = resolve));
			}
		},
		close: () => {},
	};
	const ends = new Map<string, number>();
	const stateFile = join(dir, 'state');
	const shutdown = new NodeShutdown({
		settings: settingsOf({ shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' }).shutdown,
		connect: () => Promise.resolve(login),
		pods: () => pods,
		disrupt: (uid, { reason, message, condition }, graceMs) => {
			t.is(message, 'Pod was terminated in response to imminent node shutdown.');
			say(`end ${uid} ${reason} ${condition?.reason} ${graceMs}`);
			ends.set(uid, clock.now() + takes(uid) * 1000);
		},
		stopped: async (uid, signal) => {
			await clock.sleep((ends.get(uid) ?? 0) - clock.now(), signal);
			say(`ended ${uid}`);
		},
		event: (_type, reason, message) => say(`${reason}: ${message}`),
		changed: () => {},
		...{ stateFile, registry: new Registry(), clock, log: noLog },
	});
	const stop = new AbortController();
	const running = shutdown.run(stop.signal);
	t.teardown(async () => {
		stop.abort();
		await running;
	});
	await clock.advance(0);
	const announce = async (begins: boolean): Promise<void> => {
		words.push(begins);
		wake();
		await clock.advance(0);
	};
	return { clock, shutdown, said, stateFile, announce };
}

test('pods end group by group, then the machine may go; a shutdown that is called off takes the lock again', async (t) => {
	const pods = [pod('a', 0, 5), pod('b', 0), pod('c', CRITICAL)];
	const { clock, shutdown, said, announce, stateFile } = await play(t, pods, (uid) => (uid === 'a' ? 2 : 4));
	t.deepEqual(said, ['0 lock']);
	await announce(true);
	await eventually('the first group', async () => said.some((s) => s.includes('end b')));
	t.is(shutdown.fault(), 'node is shutting down');
	await clock.advance(5000);
	await eventually('the second group', async () => said.some((s) => s.includes('end c')));
	await clock.advance(5000);
	await eventually('the end', async () => said.some((s) => s.includes('unlock')));
	t.deepEqual(
		said.map((s) => s.replace(/^\d+ /, '')),
		[
			...['lock', 'Shutdown: Shutdown manager detected shutdown event'],
			...['end a Terminated TerminationByKubelet 5000', 'end b Terminated TerminationByKubelet 20000', 'ended a', 'ended b'],
			...['end c Terminated TerminationByKubelet 10000', 'ended c', 'unlock'],
		],
	);
	const state = JSON.parse(await readFile(stateFile, 'utf8')) as { startTime: string; endTime: string };
	t.is(state.startTime, '2026-01-01T00:00:00Z');
	t.true(state.endTime > state.startTime);
	await announce(false);
	await eventually('the lock', async () => said.at(-1)?.endsWith('lock') === true && !shutdown.isUnderWay);
	t.is(shutdown.fault(), '');
});

test('who is turned away meanwhile is told so', (t) =>
	t.deepEqual(NODE_SHUTDOWN, { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' }));

test('when the machine was last shut down is known to the next life of the agent', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-shutdown-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const stateFile = join(dir, 'state');
	await writeFile(stateFile, JSON.stringify({ startTime: '2026-01-01T00:00:00Z', endTime: '2026-01-01T00:00:09Z' }));
	const registry = new Registry();
	const stop = new AbortController();
	const settings = settingsOf({ shutdownGracePeriod: '30s' }).shutdown;
	const connect = (): Promise<Login> => {
		stop.abort();
		return Promise.reject(new Error('no logind'));
	};
	const deps = { settings, connect, stateFile, registry, clock: new VirtualClock(), log: noLog } as unknown as ShutdownDeps;
	await new NodeShutdown(deps).run(stop.signal);
	const at = Date.parse('2026-01-01T00:00:00Z') / 1000;
	const told = (await registry.metrics()).split('\n').filter((line) => line.startsWith('kubelet_graceful'));
	t.deepEqual(told, [`kubelet_graceful_shutdown_start_time_seconds ${at}`, `kubelet_graceful_shutdown_end_time_seconds ${at + 9}`]);
});

test('a group that does not end in time keeps the others no longer than its grace', async (t) => {
	const { clock, said, announce } = await play(t, [pod('slow', 0), pod('critical', CRITICAL)], () => 1000);
	await announce(true);
	await eventually('the first group', async () => said.some((s) => s.includes('end slow')));
	await clock.advance(20_000);
	await eventually('the second group', async () => said.some((s) => s.includes('end critical')));
	await clock.advance(10_000);
	await eventually('the end', async () => said.some((s) => s.endsWith('unlock')));
	t.deepEqual(
		said.filter((s) => /end |unlock/.test(s)).map((s) => s.split(' ').slice(0, 3).join(' ')),
		['0 end slow', '20 end critical', '30 unlock'],
	);
});

test('a logind that waits too briefly is asked for more', async (t) => {
	const { said } = await play(t, [], () => 0, 5000);
	await eventually('the lock', async () => said.length === 2);
	t.deepEqual(said, ['0 raise 30000', '0 lock']);
});

/** A message bus of this test alone. */
async function privateBus(t: ExecutionContext, dir: string): Promise<string> {
	const address = `unix:path=${join(dir, 'bus')}`;
	const config = join(dir, 'bus.conf');
	await writeFile(
		config,
		`<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>${address}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`,
	);
	const daemon: ChildProcess = spawn('dbus-daemon', ['--nofork', '--nopidfile', `--config-file=${config}`], { stdio: 'ignore' });
	const started = await eventually('the bus', async () => {
		if (daemon.exitCode !== null || daemon.pid === undefined) return 'none';
		const bus = await Bus.connect(address, NEVER).catch(() => undefined);
		bus?.close();
		return bus !== undefined && 'up';
	});
	t.teardown(() => daemon.kill());
	return started === 'up' ? address : '';
}

test('logind over D-Bus: the delay is read and raised, a lock is held by a process, shutdowns are heard', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-login-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	const missing = spawn('dbus-daemon', ['--version'], { stdio: 'ignore' });
	if (await new Promise<boolean>((resolve) => missing.once('error', () => resolve(true)).once('exit', () => resolve(false))))
		return t.pass('this machine has no dbus-daemon');
	const address = await privateBus(t, dir);
	const manager = 'org.freedesktop.login1.Manager';
	const fake = await Bus.connect(address, NEVER);
	const calls: string[] = [];
	let delayUs = 5_000_000n;
	fake.listen(({ type, serial, sender, member, body }) => {
		if (type !== 'call') return;
		calls.push(`${member ?? ''} ${JSON.stringify(body, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`);
		const reply = { type: 'return', serial: 0, replySerial: serial, ...(sender === undefined ? {} : { destination: sender }) } as const;
		if (member === 'KillUnit') delayUs = 30_000_000n;
		fake.send(member === 'Get' ? { ...reply, signature: 'v', body: [['t', delayUs]] } : reply);
	});
	await fake.own('org.freedesktop.login1', NEVER);
	await fake.own('org.freedesktop.systemd1', NEVER);
	const inhibit = join(dir, 'inhibit');
	await writeFile(
		inhibit,
		`#!/bin/sh\necho "$@" > ${dir}/arguments\nwhile [ "\${1#--}" != "$1" ]; do shift; done\n"$@"\necho over > ${dir}/over\n`,
	);
	await chmod(inhibit, 0o755);
	const stop = new AbortController();
	const login = await connectLogin(stop.signal, { address, inhibit: [inhibit], overrideFile: join(dir, 'conf.d', '99-kubelet.conf') });
	t.is(await login.maxDelayMs(NEVER), 5000);
	await login.raiseMaxDelay(30_000, NEVER);
	t.is(await login.maxDelayMs(NEVER), 30_000);
	t.regex(await readFile(join(dir, 'conf.d', '99-kubelet.conf'), 'utf8'), /\[Login\]\nInhibitDelayMaxSec=30\n/);
	t.deepEqual(calls, [
		`Get ["${manager}","InhibitDelayMaxUSec"]`,
		'KillUnit ["systemd-logind.service","all",1]',
		`Get ["${manager}","InhibitDelayMaxUSec"]`,
	]);
	const lock = await login.delayShutdown(NEVER);
	t.regex(await readFile(join(dir, 'arguments'), 'utf8'), /^--what=shutdown --who=kubelet --why=.* --mode=delay sh -c/);
	const heard: boolean[] = [];
	const listening = (async () => {
		for await (const begins of login.shutdowns(stop.signal)) heard.push(begins);
	})();
	await eventually('both words', async () => {
		if (heard.length < 2)
			for (const begins of [true, false])
				fake.send({
					type: 'signal',
					serial: 0,
					path: '/org/freedesktop/login1',
					interface: manager,
					member: 'PrepareForShutdown',
					signature: 'b',
					body: [begins],
				});
		return heard.length >= 2;
	});
	t.deepEqual(heard.slice(0, 2), [true, false]);
	lock[Symbol.dispose]();
	stop.abort();
	await listening;
	login.close();
	fake.close();
});

test('where there is no bus that is said', async (t) => {
	await t.throwsAsync(connectLogin(NEVER, { address: 'unix:path=/nonexistent/bus' }), { message: /Cannot reach the message bus/ });
});
