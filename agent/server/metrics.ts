/** The paths under /metrics. */
import { readTopology } from '../../host/topology.ts';
import { containerFamilies } from '../cadvisor/families.ts';
import { machineFamilies } from '../cadvisor/machine.ts';
import { watchedGroups } from '../cadvisor/watched.ts';
import type { ServerDeps } from './deps.ts';
import { exposition, TEXT_FORMAT } from './exposition.ts';
import { measure } from './measure.ts';
import { resourceMetrics } from './resource-metrics.ts';
import { claimsInUse } from '../dra/figures.ts';
import { logMetrics } from './log-metrics.ts';
import { volumeMetrics } from './volume-metrics.ts';

export interface MetricsText {
	readonly type: string;
	readonly text: string;
}

/** Undefined for a path that there is not. @param path what follows /metrics, without its slash */
export async function metricsText(path: string, deps: ServerDeps, signal: AbortSignal): Promise<MetricsText | undefined> {
	const { context } = deps;
	switch (path) {
		case '':
			return agentMetrics(deps, signal);
		case 'probes':
			return { type: TEXT_FORMAT, text: await context.figures.probes.metrics() };
		case 'resource':
			return { type: TEXT_FORMAT, text: exposition(resourceMetrics(await measure(context, signal))) };
		case 'cadvisor': {
			const figures = await measure(context, signal);
			const watched = await watchedGroups(context, figures, deps.pods());
			const machine = machineFamilies(context.host, readTopology(context.host.memoryBytes));
			return { type: TEXT_FORMAT, text: exposition([...containerFamilies(watched), ...machine]) };
		}
		default:
			return undefined;
	}
}

async function agentMetrics({ context, count, volumes, pods: bound }: ServerDeps, signal: AbortSignal): Promise<MetricsText> {
	const { figures, metrics, runtime } = context;
	const pods = await runtime.states(signal);
	figures.runningPods.set(pods.filter((p) => p.sandboxes.some((s) => s.ready)).length);
	for (const state of ['created', 'running', 'exited', 'unknown'] as const)
		figures.runningContainers.set({ container_state: state }, pods.flatMap((p) => p.containers).filter((c) => c.state === state).length);
	count();
	const held = await volumes?.all(signal);
	const ofVolumes = held === undefined ? [] : volumeMetrics(bound(), held);
	const ofAll = [figures.volumes.total(bound()), claimsInUse(context.dra.claims.inUse()), await logMetrics(bound(), context)];
	const texts = await Promise.all([figures.registry.metrics(), metrics.metrics()]);
	return { type: TEXT_FORMAT, text: [...texts, exposition([...ofVolumes, ...ofAll])].join('\n') };
}
