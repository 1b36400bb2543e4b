/** How many pods are where in their lives, under upstream's names of metrics. */
import type { Pod } from '../../api/gen/types.ts';
import type { AgentMetrics } from '../metrics.ts';
import { isStatic } from '../static/static-pod.ts';
import type { EndReason, WorkerState } from './state.ts';

export interface PodLife {
	readonly pod: Pod;
	readonly phase: WorkerState['phase'];
	readonly why: EndReason | undefined;
}

const LIFECYCLES: Readonly<Record<WorkerState['phase'], string>> = {
	syncing: 'sync',
	terminating: 'terminating',
	terminated: 'terminated',
	finished: 'terminated',
};

/** @param mirrors how many mirror pods there are to be */
export function countPods(figures: AgentMetrics, lives: readonly PodLife[], mirrors: number): void {
	const staticOf = (pod: Pod): string => (isStatic(pod) ? 'true' : 'false');
	const counts = new Map<string, number>();
	for (const { pod, phase, why } of lives) {
		const config = why === 'orphan' ? 'runtime_only' : why === 'removed' || why === 'withdrawn' ? 'orphan' : 'desired';
		const key = `${LIFECYCLES[phase]} ${config} ${config === 'runtime_only' ? 'unknown' : staticOf(pod)}`;
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	for (const lifecycle of new Set(Object.values(LIFECYCLES)))
		for (const [config, is] of [
			...['desired', 'orphan'].flatMap((c) => [
				[c, 'true'],
				[c, 'false'],
			]),
			['runtime_only', 'unknown'],
		] as const)
			figures.workingPods.set(
				{ lifecycle, config: config ?? '', static: is ?? '' },
				counts.get(`${lifecycle} ${config ?? ''} ${is ?? ''}`) ?? 0,
			);
	const desired = lives.filter(({ why }) => why !== 'orphan' && why !== 'removed' && why !== 'withdrawn');
	const active = desired.filter(({ phase }) => phase === 'syncing' || phase === 'terminating');
	for (const [label, which] of [
		['', false],
		['true', true],
	] as const) {
		figures.desiredPods.set({ static: label }, desired.filter(({ pod }) => isStatic(pod) === which).length);
		figures.activePods.set({ static: label }, active.filter(({ pod }) => isStatic(pod) === which).length);
	}
	figures.mirrorPods.set(mirrors);
	figures.ephemeralContainers.set(desired.reduce((sum, { pod }) => sum + (pod.spec?.ephemeralContainers?.length ?? 0), 0));
}
