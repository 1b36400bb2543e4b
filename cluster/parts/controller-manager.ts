/** The controllers as a part: one set of informers, every controller on it. */
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { Informers } from '../../client/informers.ts';
import { createControllers } from '../../controlplane/controllers/controllers.ts';
import type { PartDeps } from './apiserver.ts';

export function controllerManagerServices(client: Client, rootCa: string, deps: PartDeps, after: readonly string[]): readonly Service[] {
	const log = deps.log.with({ part: 'controller-manager' });
	const informers = new Informers({ client, clock: deps.clock, log, name: 'controller-manager-informers', after });
	return [informers, ...createControllers({ client, informers, rootCa, clock: deps.clock, metrics: deps.metrics, log })];
}
