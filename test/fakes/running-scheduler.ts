/** The scheduler as it runs, over an API server in memory, on virtual time. */
import { createMetrics, type Registry } from '../../base/metrics.ts';
import { noLog } from '../../base/log.ts';
import { runServices } from '../../base/service.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { createRecorder } from '../../client/events.ts';
import { Informers } from '../../client/informers.ts';
import { createClient } from '../../client/rest.ts';
import { defaultSettings, type SchedulerSettings } from '../../controlplane/scheduler/configuration/configuration.ts';
import { createScheduler } from '../../controlplane/scheduler/scheduler.ts';
import { FakeTransport } from './fake-transport.ts';

export interface RunningScheduler {
	readonly clock: VirtualClock;
	readonly transport: FakeTransport;
	readonly metrics: Registry;
	/** "reason: message" of each, as they were written. */
	events(): readonly string[];
}

export interface RunningOptions {
	/** Makes what the scheduler finds at its start. */
	readonly before?: (transport: FakeTransport) => void;
	readonly settings?: SchedulerSettings;
}

export async function runningScheduler(
	body: (parts: RunningScheduler) => Promise<void>,
	{ before = () => {}, settings = defaultSettings() }: RunningOptions = {},
): Promise<void> {
	const clock = new VirtualClock();
	const transport = new FakeTransport(clock);
	const client = createClient(transport);
	const deps = { client, clock, log: noLog };
	const informers = new Informers(deps);
	const metrics = createMetrics();
	const recorder = createRecorder({ ...deps, component: 'default-scheduler' });
	const scheduler = createScheduler({ ...deps, settings, informers, recorder, metrics });
	const stop = new AbortController();
	const done = runServices([informers, recorder, scheduler], stop.signal);
	before(transport);
	await clock.advance(10);
	const events = (): readonly string[] =>
		transport.api
			.list('/api/v1/events', () => true)
			.map((e) => {
				const { reason, message } = e as { reason?: string; message?: string };
				return `${reason}: ${message}`;
			});
	try {
		await body({ clock, transport, metrics, events });
	} finally {
		stop.abort();
		await done;
	}
}
