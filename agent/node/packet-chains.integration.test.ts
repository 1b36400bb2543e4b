/** The chains, made by the machine's iptables in a network namespace of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlink } from 'node:fs/promises';
import test from 'ava';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { CommandFailure, runCommand } from '../../host/command.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { keepChains, makeChains } from './packet-chains.ts';

/** Runs commands in the namespace. */
async function namespace(t: { teardown(fn: () => Promise<unknown>): void }) {
	const child = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'ignore', 'inherit'] });
	t.teardown(async () => {
		const ended = once(child, 'exit');
		child.stdin.end();
		await ended;
	});
	const mine = await readlink('/proc/self/ns/net');
	const pid = String(child.pid);
	await eventually('a namespace', async () => (await readlink(`/proc/${pid}/ns/net`)) !== mine);
	return (command: string, args: readonly string[]): Promise<string> => runCommand('nsenter', ['-t', pid, '-n', command, ...args]);
}

const MARTIANS =
	'-A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP';

test('the chains of upstream, once, however often they are made', async (t) => {
	const run = await namespace(t);
	for (let i = 0; i < 2; i++) await makeChains('iptables', run);
	await makeChains('ip6tables', run);
	const rules = (await run('iptables', ['-S'])).split('\n').filter((line) => line.includes('KUBE'));
	t.deepEqual(rules, [
		...['-N KUBE-FIREWALL', '-N KUBE-KUBELET-CANARY', '-A INPUT -j KUBE-FIREWALL', '-A OUTPUT -j KUBE-FIREWALL'],
		MARTIANS,
	]);
	for (const iptables of ['iptables', 'ip6tables'])
		t.deepEqual(
			(await run(iptables, ['-t', 'mangle', '-S'])).split('\n').filter((line) => line.startsWith('-N')),
			['-N KUBE-IPTABLES-HINT', '-N KUBE-KUBELET-CANARY'],
		);
	t.false((await run('ip6tables', ['-S'])).includes('KUBE-FIREWALL'));
});

test('what was flushed is made again within a minute; nothing is done where it is not wanted', async (t) => {
	const run = await namespace(t);
	const clock = new VirtualClock();
	const stop = new AbortController();
	await keepChains(false, { clock, log: noLog, run }, stop.signal);
	t.false((await run('iptables', ['-S'])).includes('KUBE'));
	const keeping = keepChains(true, { clock, log: noLog, run }, stop.signal);
	const made = async (): Promise<void> => {
		await eventually('the chains', async () => {
			await clock.advance(60_000);
			const rules = await run('iptables', ['-S']);
			// The last that is made.
			return rules.includes(MARTIANS) && rules.includes('-N KUBE-KUBELET-CANARY');
		});
		// Whoever still looks would make anew what is flushed meanwhile.
		await eventually('those of both families wait', async () => clock.pending === 2);
	};
	await made();
	for (const words of [['-F'], ['-X'], ['-t', 'nat', '-X'], ['-t', 'mangle', '-X']]) await run('iptables', words);
	t.false((await run('iptables', ['-S'])).includes('KUBE'));
	await made();
	stop.abort();
	await keeping;
});

test('where there is no iptables that is said, and nothing else happens', async (t) => {
	const said: string[] = [];
	const run = (): Promise<string> => Promise.reject(new Error('no such command'));
	const log = { ...noLog, info: (message: string) => void said.push(message) };
	await keepChains(true, { clock: new VirtualClock(), log, run }, new AbortController().signal);
	const message = 'Failed to initialize iptables rules; some functionality may be missing.';
	t.deepEqual(said, [message, message]);
});

test('while others hold the lock, what is there is not made a second time, nor taken for gone', async (t) => {
	const asked: string[] = [];
	let locked = false;
	const run = async (_: string, args: readonly string[]): Promise<string> => {
		if (!locked) return '';
		asked.push(args.join(' '));
		throw new CommandFailure('Another app is currently holding the xtables lock.', 4);
	};
	const clock = new VirtualClock();
	const stop = new AbortController();
	const keeping = keepChains(true, { clock, log: noLog, run }, stop.signal);
	await clock.advance(30_000);
	locked = true;
	await clock.advance(60_000);
	t.deepEqual(
		asked.map((args) => args.split(' ').slice(2)),
		Array.from({ length: 2 }, () => ['-t', 'mangle', '-S', 'KUBE-KUBELET-CANARY']),
	);
	await t.throwsAsync(makeChains('iptables', run), { message: /xtables lock/ });
	stop.abort();
	await keeping;
});
