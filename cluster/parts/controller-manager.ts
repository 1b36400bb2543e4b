/** The controllers as a part: one set of informers, every controller on it, each acting as a service account of its own. */
import type { Service } from '../../base/service.ts';
import type { Client } from '../../client/client.ts';
import { Informers } from '../../client/informers.ts';
import { createControllers } from '../../controlplane/controllers/controllers.ts';
import type { PartDeps } from './apiserver.ts';

export interface ControllerClients {
	/** The controller manager's own. */
	readonly manager: Client;
	/** Acts as a service account of kube-system. */
	readonly of: (serviceAccount: string) => Client;
}

export function controllerManagerServices(
	clients: ControllerClients,
	rootCa: string,
	deps: PartDeps,
	after: readonly string[],
): readonly Service[] {
	const log = deps.log.with({ part: 'controller-manager' });
	const client = clients.manager;
	const informers = new Informers({ client, clock: deps.clock, log, name: 'controller-manager-informers', after });
	return [
		informers,
		...createControllers({ client, clientOf: clients.of, informers, rootCa, clock: deps.clock, metrics: deps.metrics, log }),
	];
}
