/**
 * Graceful node shutdown: the agent delays the machine's shutdown until the pods have ended, those of low priority first.
 *
 *   watching --PrepareForShutdown(true)--> shutting down: pods end, the lock is let go
 *       ^--------PrepareForShutdown(false)--------'          (a lock is taken anew)
 */
import type { Pod } from '../../api/gen/types.ts';
import { timeOf } from '../../api/time.ts';
import type { Clock } from '../../base/clock.ts';
import { withDeadline } from '../../base/abort.ts';
import { messageOf } from '../../base/errors.ts';
import { readIfExists, writeAtomic } from '../../base/files.ts';
import type { Log } from '../../base/log.ts';
import { Gauge, type Registry } from '../../base/metrics.ts';
import type { EventType } from '../../client/events.ts';
import type { ShutdownSettings } from '../config/shutdown-settings.ts';
import type { Disruption } from '../pod/memory.ts';
import { graceSecondsOf, groupsOf, wholeMs } from './groups.ts';
import type { Login } from './login.ts';

/** Upstream's words. */
export const NODE_SHUTDOWN = { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' } as const;
const TERMINATED = { reason: 'Terminated', message: 'Pod was terminated in response to imminent node shutdown.' } as const;
const RECONNECT_MS = 1000;
/** Upstream's file in the agent's folder. */
export const STATE_FILE = 'graceful_node_shutdown_state';

export interface ShutdownDeps {
	readonly settings: ShutdownSettings;
	readonly connect: (signal: AbortSignal) => Promise<Login>;
	/** Those that have not ended. */
	readonly pods: () => readonly Pod[];
	/** Ends a pod for the node's sake. */
	readonly disrupt: (uid: string, disruption: Disruption, graceMs: number) => void;
	/** Resolves once nothing of it runs. */
	readonly stopped: (uid: string, signal: AbortSignal) => Promise<void>;
	readonly event: (type: EventType, reason: string, message: string) => void;
	/** The node's status is to be written soon. */
	readonly changed: () => void;
	readonly stateFile: string;
	readonly registry: Registry;
	readonly clock: Clock;
	readonly log: Log;
}

export class NodeShutdown {
	readonly #deps: ShutdownDeps;
	readonly #startGauge: Gauge;
	readonly #endGauge: Gauge;
	#isUnderWay = false;

	constructor(deps: ShutdownDeps) {
		this.#deps = deps;
		const gauge = (name: string, what: string): Gauge =>
			new Gauge({
				name: `kubelet_graceful_shutdown_${name}_time_seconds`,
				help: `[ALPHA] Last graceful shutdown ${what} time since unix epoch in seconds`,
				registers: [deps.registry],
			});
		this.#startGauge = gauge('start', 'start');
		this.#endGauge = gauge('end', 'end');
	}

	/** No pod is let in. */
	get isUnderWay(): boolean {
		return this.#isUnderWay;
	}

	/** Why the node is not ready; empty unless it shuts down. */
	fault(): string {
		return this.#isUnderWay ? 'node is shutting down' : '';
	}

	/** Until the signal aborts; does nothing where no grace is configured. */
	async run(signal: AbortSignal): Promise<void> {
		const { settings, clock, log } = this.#deps;
		if (settings.length === 0) return;
		await this.#remember();
		let said = '';
		while (!signal.aborted) {
			try {
				await this.#watch(signal);
			} catch (error) {
				if (signal.aborted) return;
				const reason = messageOf(error);
				if (reason !== said) log.error('cannot watch for shutdowns of the node', { reason });
				said = reason;
			}
			await clock.sleep(RECONNECT_MS, signal).catch(() => {});
		}
	}

	/** One connection to logind. */
	async #watch(signal: AbortSignal): Promise<void> {
		const { connect, settings, event } = this.#deps;
		const login = await connect(signal);
		let lock: Disposable | undefined;
		try {
			const wanted = wholeMs(settings);
			if (wanted > (await login.maxDelayMs(signal))) {
				await login.raiseMaxDelay(wanted, signal);
				await this.#raised(login, wanted, signal);
			}
			lock = await login.delayShutdown(signal);
			for await (const begins of login.shutdowns(signal)) {
				event('Normal', 'Shutdown', `Shutdown manager detected shutdown ${begins ? 'event' : 'cancellation'}`);
				this.#isUnderWay = begins;
				this.#deps.changed();
				if (!begins) {
					const before: Disposable | undefined = lock;
					lock = await login.delayShutdown(signal);
					before?.[Symbol.dispose]();
					continue;
				}
				await this.#endPods(signal);
				lock?.[Symbol.dispose]();
				lock = undefined;
			}
		} finally {
			lock?.[Symbol.dispose]();
			login.close();
		}
	}

	/** logind takes a moment to read its files again. */
	async #raised(login: Login, wantedMs: number, signal: AbortSignal): Promise<void> {
		let now = 0;
		for (let tries = 0; tries < 10; tries++) {
			now = await login.maxDelayMs(signal);
			if (now >= wantedMs) return;
			await this.#deps.clock.sleep(100, signal);
		}
		throw new Error(
			`node shutdown manager was unable to update logind InhibitDelayMaxSec to ${wantedMs / 1000}s (ShutdownGracePeriod), current value of InhibitDelayMaxSec (${now / 1000}s) is less than requested ShutdownGracePeriod`,
		);
	}

	async #endPods(signal: AbortSignal): Promise<void> {
		const { settings, clock, log, pods, disrupt, stopped } = this.#deps;
		const startedAt = clock.now();
		await this.#note(startedAt, undefined);
		for (const group of groupsOf(settings, pods())) {
			if (group.pods.length === 0) continue;
			log.info('the node shuts down: ending pods', { priority: group.priority, pods: group.pods.length, graceSeconds: group.graceSeconds });
			const condition = {
				...{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: TERMINATED.message },
				lastTransitionTime: timeOf(clock.now()),
			};
			for (const pod of group.pods) disrupt(pod.metadata.uid ?? '', { ...TERMINATED, condition }, graceSecondsOf(pod, group) * 1000);
			using late = withDeadline(clock, group.graceSeconds * 1000, 'the end of pods', signal);
			await Promise.all(group.pods.map((pod) => stopped(pod.metadata.uid ?? '', late.signal).catch(() => {})));
			if (late.signal.aborted && !signal.aborted) log.warn('pods have not ended in time', { priority: group.priority });
		}
		await this.#note(startedAt, clock.now());
		log.info('the node may shut down');
	}

	/** When the machine was last shut down is known to the next life of the agent. */
	async #remember(): Promise<void> {
		const { stateFile, log } = this.#deps;
		try {
			const { startTime, endTime } = JSON.parse((await readIfExists(stateFile)) ?? '{}') as { startTime?: string; endTime?: string };
			for (const [gauge, time] of [
				[this.#startGauge, startTime],
				[this.#endGauge, endTime],
			] as const) {
				const at = Date.parse(time ?? '');
				if (!Number.isNaN(at)) gauge.set(at / 1000);
			}
		} catch (error) {
			log.warn('the state of the last shutdown cannot be read', { file: stateFile, reason: messageOf(error) });
		}
	}

	async #note(startedAt: number, endedAt: number | undefined): Promise<void> {
		const { stateFile, log } = this.#deps;
		this.#startGauge.set(startedAt / 1000);
		this.#endGauge.set((endedAt ?? 0) / 1000);
		const state = { startTime: timeOf(startedAt), ...(endedAt === undefined ? {} : { endTime: timeOf(endedAt) }) };
		await writeAtomic(stateFile, JSON.stringify(state)).catch((error: unknown) =>
			log.warn('the state of the shutdown was not written', { file: stateFile, reason: messageOf(error) }),
		);
	}
}
