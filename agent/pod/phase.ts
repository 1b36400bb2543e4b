/** The phase of a pod from its containers' statuses. Pure; upstream's getPhase. */
import type { ContainerStatus, Pod } from '../../api/gen/types.ts';
import { containersOf, type PodContainer } from './containers.ts';
import { RESTARTING_REASON } from './restart-all.ts';
import { restartsAfter } from './restart-rules.ts';

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export function phaseOf(pod: Pod, statuses: ReadonlyMap<string, ContainerStatus>, ended: boolean): Phase {
	const containers = containersOf(pod).filter((c) => c.kind !== 'ephemeral');
	const apps = containers.filter((c) => c.kind === 'app');
	const initialized = apps.some((c) => hasRun(statuses.get(c.spec.name)));
	let [pending, failedInit, running, stopped, failed, waiting] = [0, 0, 0, 0, 0, 0];
	let restartable = false;
	for (const c of containers) {
		const status = statuses.get(c.spec.name);
		const state = status?.state;
		const ending = state?.terminated ?? (state?.waiting === undefined ? undefined : status?.lastState?.terminated);
		switch (c.kind) {
			case 'init':
				if (initialized) break;
				if (state?.terminated?.exitCode === 0) break;
				if (state?.terminated !== undefined && !restartsAfter(pod, c, state.terminated.exitCode)) failedInit++;
				else pending++;
				break;
			case 'sidecar':
				if (status?.started !== true && !initialized) pending++;
				// It does not keep the pod, but the pod has not ended while it runs.
				if (state?.running !== undefined) running++;
				else if (ending === undefined && initialized) waiting++;
				break;
			case 'app':
				if (state?.running !== undefined) running++;
				else if (ending !== undefined) {
					stopped++;
					if (ending.exitCode !== 0) failed++;
					if (restartsAgain(pod, c, status)) restartable = true;
				} else waiting++;
				break;
			case 'ephemeral':
				break;
		}
	}
	if (failedInit > 0) return 'Failed';
	if (ended && running === 0) return stopped === apps.length && failed === 0 ? 'Succeeded' : 'Failed';
	if (pending > 0 || waiting > 0) return 'Pending';
	if (running > 0) return 'Running';
	if (stopped === 0) return 'Pending';
	if (restartable) return 'Running';
	return failed === 0 ? 'Succeeded' : 'Failed';
}

function restartsAgain(pod: Pod, c: PodContainer, status: ContainerStatus | undefined): boolean {
	const ending = status?.state?.terminated ?? status?.lastState?.terminated;
	return ending !== undefined && (ending.reason === RESTARTING_REASON || restartsAfter(pod, c, ending.exitCode));
}

function hasRun(status: ContainerStatus | undefined): boolean {
	return status?.state?.running !== undefined || status?.state?.terminated !== undefined || status?.lastState?.terminated !== undefined;
}
