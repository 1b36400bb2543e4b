/** The scheduler as a part. */
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { createRecorder } from '../../client/events.ts';
import { Informers } from '../../client/informers.ts';
import { createScheduler } from '../../controlplane/scheduler/scheduler.ts';
import type { PartDeps } from './apiserver.ts';

export function schedulerServices(client: Client, deps: PartDeps, after: readonly string[]): readonly Service[] {
	const { clock, metrics } = deps;
	const log = deps.log.with({ part: 'scheduler' });
	const informers = new Informers({ client, clock, log, name: 'scheduler-informers', after });
	const recorder = createRecorder({ client, clock, log, component: 'default-scheduler', after });
	return [informers, recorder, createScheduler({ client, informers, recorder, clock, log, metrics })];
}
