/**
 * Chains of iptables that upstream's kubelet keeps for others (makeIPTablesUtilChains): one by which containers find out which iptables the host uses,
 * and the rule that keeps a route_localnet of kube-proxy from opening the host's loopback. They stay when the agent ends, as upstream's.
 */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { CommandFailure, runCommand } from '../../host/command.ts';

type Run = (command: string, args: readonly string[]) => Promise<string>;

const HINT = 'KUBE-IPTABLES-HINT';
const FIREWALL = 'KUBE-FIREWALL';
/** Whoever flushes the tables takes it away, too. */
const CANARY = 'KUBE-KUBELET-CANARY';
const TABLES = ['mangle', 'nat', 'filter'] as const;
const LOOK_MS = 60_000;
/** What iptables ends with where there is no such chain or rule; 4 where it could not have its lock. */
const NOT_THERE = 1;
/** As kube-proxy has it, word by word: both find the other's. */
const MARTIANS: readonly string[] = [
	...['-m', 'comment', '--comment', 'block incoming localnet connections', '--dst', '127.0.0.0/8', '!', '--src', '127.0.0.0/8'],
	...['-m', 'conntrack', '!', '--ctstate', 'RELATED,ESTABLISHED,DNAT', '-j', 'DROP'],
];

export interface ChainDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly run?: Run;
}

/** Until the signal aborts: made at once, and again within a minute after they were flushed. @param wanted false: nothing is done */
export async function keepChains(wanted: boolean, { clock, log, run = runCommand }: ChainDeps, signal: AbortSignal): Promise<void> {
	if (!wanted) return;
	const keep = async (iptables: 'iptables' | 'ip6tables'): Promise<void> => {
		try {
			await makeChains(iptables, run);
		} catch (error) {
			log.info('Failed to initialize iptables rules; some functionality may be missing.', { iptables, reason: messageOf(error) });
			return;
		}
		while (!signal.aborted) {
			await clock.sleep(LOOK_MS, signal).catch(() => {});
			// Who could not ask does not know that they are gone: asked again next time.
			if (signal.aborted || (await haveCanaries(iptables, run).catch(() => true))) continue;
			await makeChains(iptables, run).catch((error: unknown) =>
				log.warn('cannot make chains of iptables again', { iptables, reason: messageOf(error) }),
			);
		}
	};
	await Promise.all([keep('iptables'), keep('ip6tables')]);
}

/** Any number of times. */
export async function makeChains(iptables: 'iptables' | 'ip6tables', run: Run = runCommand): Promise<void> {
	const on = (table: string, ...args: readonly string[]): Promise<string> => run(iptables, ['-w', '5', '-t', table, ...args]);
	const chain = async (table: string, name: string): Promise<void> => {
		if (!(await there(on(table, '-S', name)))) await on(table, '-N', name);
	};
	const rule = async (how: '-I' | '-A', from: string, words: readonly string[]): Promise<void> => {
		if (!(await there(on('filter', '-C', from, ...words)))) await on('filter', how, from, ...words);
	};
	await chain('mangle', HINT);
	if (iptables === 'iptables') {
		await chain('filter', FIREWALL);
		await rule('-I', 'OUTPUT', ['-j', FIREWALL]);
		await rule('-I', 'INPUT', ['-j', FIREWALL]);
		await rule('-A', FIREWALL, MARTIANS);
	}
	for (const table of TABLES) await chain(table, CANARY);
}

async function haveCanaries(iptables: string, run: Run): Promise<boolean> {
	for (const table of TABLES) if (!(await there(run(iptables, ['-w', '5', '-t', table, '-S', CANARY])))) return false;
	return true;
}

/** Fails where iptables could not look, as when others hold its lock for long. */
function there(asked: Promise<string>): Promise<boolean> {
	return asked.then(
		() => true,
		(error: unknown) => {
			if (error instanceof CommandFailure && error.exitCode === NOT_THERE) return false;
			throw error;
		},
	);
}
