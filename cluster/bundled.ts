/** Every part in this process, on one event loop: clients reach the API server in process, the shim still over its socket. */
import { readFile } from 'node:fs/promises';
import { linked } from '../base/abort.ts';
import type { Service } from '../base/service.ts';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/rest.ts';
import { TransportMetrics } from '../client/transport-metrics.ts';
import type { Store } from '../controlplane/storage/store.ts';
import { agentService } from './parts/agent.ts';
import { createApiserverPart, type ApiserverPart, type PartDeps } from './parts/apiserver.ts';
import type { PartConfigs } from './parts/config.ts';
import { controllerManagerServices } from './parts/controller-manager.ts';
import { criService } from './parts/cri.ts';
import { KUBE_SYSTEM } from './parts/kube-system.ts';
import { METRICS_USER } from './parts/metrics-objects.ts';
import { metricsService } from './parts/metrics.ts';
import { storageService } from './parts/storage.ts';
import { schedulerServices, schedulerSettings } from './parts/scheduler.ts';
import { PartsHealth } from './parts-health.ts';
import type { WhenUsable } from './usable.ts';

/** Most controllers begin this long after the API server serves, if the cluster is not usable before. */
const LATEST_MS = 5000;

export interface Bundled {
	readonly services: readonly Service[];
	readonly apiserver: ApiserverPart;
	/** As an administrator. */
	readonly client: Client;
}

/** The users that parts are; the groups are those of their certificates. */
const USERS = {
	admin: { name: 'kubernetes-admin', groups: ['system:masters'] },
	'controller-manager': { name: 'system:kube-controller-manager', groups: [] },
	scheduler: { name: 'system:kube-scheduler', groups: [] },
} as const;

/** Those of every service account of kube-system: each controller acts as one. */
const SERVICE_ACCOUNT_GROUPS = ['system:serviceaccounts', `system:serviceaccounts:${KUBE_SYSTEM}`];

/** @param store opened from the configuration of the API server, which closes it */
export async function bundled(configs: PartConfigs, store: Store, deps: PartDeps, whenUsable: WhenUsable): Promise<Bundled> {
	const settings = await schedulerSettings(configs.scheduler);
	const health = new PartsHealth();
	const log = deps.log.with({ part: 'apiserver' });
	const apiserver = await createApiserverPart(configs.apiserver, store, { ...deps, log }, () => health.components());
	const measures = new TransportMetrics(deps.metrics, deps.clock);
	const as = (name: string, groups: readonly string[], userAgent: string): Client => {
		const transport = apiserver.server.transport({ name, uid: '', groups: [...groups, 'system:authenticated'], extra: {} });
		return createClient(measures.measured(transport, new URL(configs.scheduler.api.server).host), { userAgent });
	};
	const accounts = (userAgent: string) => (account: string) =>
		as(`system:serviceaccount:${KUBE_SYSTEM}:${account}`, SERVICE_ACCOUNT_GROUPS, userAgent);
	const { nodeName } = configs.agent;
	const rootCa = await readFile(configs.apiserver.clientCaFile, 'utf8');
	const after = ['apiserver'];
	/** Watching every kind takes much of a start, and what is found can wait; not for ever, though, where the node never gets ready. */
	const soon = async (signal: AbortSignal): Promise<void> => {
		using waiting = linked(signal);
		await Promise.race([whenUsable(waiting.signal), deps.clock.sleep(LATEST_MS, waiting.signal)]).finally(() => waiting.abort());
	};
	const controllers = await controllerManagerServices(
		configs['controller-manager'],
		{
			manager: as(USERS['controller-manager'].name, USERS['controller-manager'].groups, 'kube-controller-manager'),
			of: accounts('kube-controller-manager'),
		},
		rootCa,
		deps,
		after,
		soon,
	);
	return {
		apiserver,
		client: as(USERS.admin.name, USERS.admin.groups, 'kubeling'),
		services: [
			apiserver.service,
			criService(configs.cri, deps),
			...health.watched('controller-manager', controllers),
			...health.watched(
				'scheduler',
				schedulerServices(settings, as(USERS.scheduler.name, USERS.scheduler.groups, 'kube-scheduler'), deps, after),
			),
			storageService(
				configs.storage,
				{ manager: as(USERS.admin.name, USERS.admin.groups, 'kubeling-storage'), of: accounts('kubeling-storage') },
				deps,
				after,
				whenUsable,
			),
			metricsService(
				configs.metrics,
				{ own: as(METRICS_USER, [], 'kubeling-metrics'), publisher: as(USERS.admin.name, USERS.admin.groups, 'kubeling-metrics') },
				deps,
				after,
				whenUsable,
			),
			await agentService(configs.agent, as(`system:node:${nodeName}`, ['system:nodes'], 'kubelet'), deps, ['apiserver', 'cri']),
		],
	};
}
