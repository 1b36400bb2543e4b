/**
 * systemd's watchdog, as upstream's kubelet serves it: a unit with WatchdogSec= is told, twice in that time, that the agent looks after its pods,
 * and starts it anew when nothing is heard. Node.js has no datagrams on unix sockets, so systemd-notify speaks for this process.
 */
import { formatDuration } from '../../api/time.ts';
import { linked } from '../../base/abort.ts';
import { retrying } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { runCommand } from '../../host/command.ts';
import { PlegHealth } from '../pod/pleg-health.ts';

/** The systemd that started this process. */
export interface ServiceManager {
	/** How long it waits for a word; 0: for none. */
	readonly watchdogMs: number;
	notify(state: 'READY=1' | 'WATCHDOG=1'): Promise<void>;
}

/** Upstream's: no shorter time is served, and what could not be told is told again once, after a second. */
const LEAST_MS = 1000;
const RETRY = { initialMs: 1000, maxMs: 1000, jitter: 0.1 };
const TRIES = 2;

/** Undefined where no service manager listens. Throws AppError InvalidArgument for a time that cannot be served, in upstream's words. */
export function serviceManagerIn(env: NodeJS.ProcessEnv, pid: number = process.pid): ServiceManager | undefined {
	if (!env['NOTIFY_SOCKET']) return undefined;
	const watchdogMs = watchdogMsIn(env, pid);
	return { watchdogMs, notify: async (state) => void (await runCommand('systemd-notify', [state], { env })) };
}

/** Pure: sd_watchdog_enabled(3). */
export function watchdogMsIn({ WATCHDOG_USEC: time = '', WATCHDOG_PID: watched = '' }: NodeJS.ProcessEnv, pid: number): number {
	const fault = (text: string): never => {
		throw new AppError('InvalidArgument', `configure watchdog: ${text}`);
	};
	if (time === '') return 0;
	if (!/^[+-]?\d+$/.test(time)) fault(`error converting WATCHDOG_USEC: "${time}" is not a number`);
	const ms = Number(time) / 1000;
	if (ms <= 0) fault('error WATCHDOG_USEC must be a positive number');
	if (watched !== '' && !/^[+-]?\d+$/.test(watched)) fault(`error converting WATCHDOG_PID: "${watched}" is not a number`);
	if (watched !== '' && Number(watched) !== pid) return 0;
	if (ms <= LEAST_MS)
		throw new AppError('InvalidArgument', `configure watchdog timeout too small: ${formatDuration(BigInt(Math.round(ms * 1e6)))}`);
	return ms;
}

export interface WatchdogDeps {
	readonly clock: Clock;
	readonly log: Log;
}

/** Runs the agent, and tells the service manager that it has started and, while it is well, that it lives. Ends as the agent does. */
export async function watched(
	manager: ServiceManager | undefined,
	deps: WatchdogDeps,
	signal: AbortSignal,
	agent: (health: PlegHealth) => Promise<void>,
): Promise<void> {
	const health = new PlegHealth(deps.clock);
	using link = linked(signal);
	const telling = manager === undefined ? undefined : tell(manager, health, deps, link.signal);
	await agent(health).finally(() => link.abort());
	await telling;
}

async function tell(manager: ServiceManager, health: PlegHealth, { clock, log }: WatchdogDeps, signal: AbortSignal): Promise<void> {
	await manager.notify('READY=1').catch((error: unknown) => log.warn('cannot tell systemd of the start', { reason: messageOf(error) }));
	if (manager.watchdogMs === 0) return;
	log.info("systemd's watchdog is told that the agent lives", { everyMs: manager.watchdogMs / 2 });
	while (!signal.aborted) {
		const fault = health.fault();
		if (fault !== '') log.error("systemd's watchdog is not told: the agent is not well", { reason: fault });
		else
			await retrying(
				...([clock, RETRY, signal] as const),
				() => manager.notify('WATCHDOG=1'),
				(_error, attempt) => attempt + 1 < TRIES,
			).catch((error: unknown) => {
				if (!signal.aborted) log.error("cannot tell systemd's watchdog", { reason: messageOf(error) });
			});
		await clock.sleep(manager.watchdogMs / 2, signal).catch(() => {});
	}
}
