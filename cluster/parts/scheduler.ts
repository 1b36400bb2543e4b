/** The scheduler as a part. */
import { readFile } from 'node:fs/promises';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { createRecorder } from '../../client/events.ts';
import { Informers } from '../../client/informers.ts';
import {
	defaultSettings,
	parseSchedulerConfiguration,
	type SchedulerSettings,
} from '../../controlplane/scheduler/configuration/configuration.ts';
import { createScheduler } from '../../controlplane/scheduler/scheduler.ts';
import type { PartDeps } from './apiserver.ts';
import type { SchedulerConfig } from './config.ts';

/** What the configuration's file says, or upstream's defaults. AppError NotFound or InvalidArgument names the file and every fault. */
export async function schedulerSettings({ schedulerConfigFile }: SchedulerConfig): Promise<SchedulerSettings> {
	if (schedulerConfigFile === undefined) return defaultSettings();
	let text: string;
	try {
		text = await readFile(schedulerConfigFile, 'utf8');
	} catch (cause) {
		throw new AppError('NotFound', `Cannot read the scheduler configuration "${schedulerConfigFile}": ${messageOf(cause)}`, { cause });
	}
	return parseSchedulerConfiguration(text, schedulerConfigFile);
}

export function schedulerServices(
	settings: SchedulerSettings,
	client: Client,
	deps: PartDeps,
	after: readonly string[],
): readonly Service[] {
	const { clock, metrics } = deps;
	const log = deps.log.with({ part: 'scheduler' });
	const informers = new Informers({ client, clock, log, name: 'scheduler-informers', after });
	const recorder = createRecorder({ client, clock, log, component: 'default-scheduler', after });
	if (settings.unused.length > 0) log.warn('fields of the scheduler configuration have no effect here', { fields: settings.unused });
	return [informers, recorder, createScheduler({ settings, client, informers, recorder, clock, log, metrics })];
}
