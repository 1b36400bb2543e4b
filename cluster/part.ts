/** One part alone in this process, as `kubeling apiserver --config FILE` and `up --isolate` run it. No other part is loaded. */
import { readFile } from 'node:fs/promises';
import type { Service } from '../base/service.ts';
import type { Client } from '../client/client.ts';
import { TransportMetrics } from '../client/transport-metrics.ts';
import type { PartDeps } from './parts/apiserver.ts';
import { checkConfig } from './parts/check-config.ts';
import { clientOf } from './parts/client.ts';
import type { ApiAccess, PartConfigs, PartName } from './parts/config.ts';
import { serviceAccountClients } from './parts/service-accounts.ts';
import { PartsHealth } from './parts-health.ts';
import { whenNodeUsable } from './usable.ts';

/** The services of one part; its configuration was read from a file. AppError InvalidArgument names the fields that are wrong. */
export async function partServices(part: PartName, given: unknown, deps: PartDeps): Promise<readonly Service[]> {
	const config = checkConfig(part, given);
	const { clock } = deps;
	const measures = (): TransportMetrics => new TransportMetrics(deps.metrics, clock);
	switch (part) {
		case 'apiserver': {
			const apiserver = config as PartConfigs['apiserver'];
			const [{ createApiserverPart }, { openStore }] = await Promise.all([import('./parts/apiserver.ts'), import('./parts/store.ts')]);
			const health = new PartsHealth();
			// Of the parts beside it, whoever started them all knows.
			if (process.connected) process.on('message', (message) => health.take(message));
			return [(await createApiserverPart(apiserver, await openStore(apiserver, deps), deps, () => health.components())).service];
		}
		case 'cri': {
			const { criService } = await import('./parts/cri.ts');
			return [criService(config as PartConfigs['cri'], deps)];
		}
		case 'scheduler': {
			const { schedulerServices, schedulerSettings } = await import('./parts/scheduler.ts');
			const scheduler = config as PartConfigs['scheduler'];
			const settings = await schedulerSettings(scheduler);
			return schedulerServices(settings, clientOf(scheduler.api, clock, 'kube-scheduler', measures()), deps, []);
		}
		case 'storage': {
			const { storageService } = await import('./parts/storage.ts');
			const storage = config as PartConfigs['storage'];
			const metrics = measures();
			const manager = clientOf(storage.api, clock, 'kubeling-storage', metrics);
			const clients = { manager, of: serviceAccountClients(manager, storage.api, clock, metrics) };
			return [storageService(storage, clients, deps, [], whenNodeUsable(manager, storage.nodeName, clock))];
		}
		case 'metrics': {
			const { metricsService } = await import('./parts/metrics.ts');
			const own = config as PartConfigs['metrics'];
			const metrics = measures();
			const as = ({ api }: { readonly api: ApiAccess }): Client => clientOf(api, clock, 'kubeling-metrics', metrics);
			const publisher = as(own.publish ?? own);
			const whenUsable = own.publish === undefined ? async () => {} : whenNodeUsable(publisher, own.publish.nodeName, clock);
			return [metricsService(own, { own: as(own), publisher }, deps, [], whenUsable)];
		}
		case 'controller-manager': {
			const { controllerManagerServices } = await import('./parts/controller-manager.ts');
			const own = config as PartConfigs['controller-manager'];
			const { api } = own;
			const metrics = measures();
			const manager = clientOf(api, clock, 'kube-controller-manager', metrics);
			const clients = { manager, of: serviceAccountClients(manager, api, clock, metrics) };
			return controllerManagerServices(own, clients, await readFile(api.caFile, 'utf8'), deps, []);
		}
		case 'agent': {
			const agent = config as PartConfigs['agent'];
			const { api, kubeconfigFile } = agent;
			if (api !== undefined) {
				const { agentService } = await import('./parts/agent.ts');
				return [await agentService(agent, clientOf(api, clock, 'kubelet', measures()), deps, [])];
			}
			if (kubeconfigFile === undefined) return [await (await import('./parts/standalone-agent.ts')).standaloneAgent(agent, deps)];
			return [(await import('./parts/joined-agent.ts')).joinedAgent({ ...agent, kubeconfigFile }, deps)];
		}
	}
}
