/** The phase of a pod from its containers' statuses. Pure; upstream's getPhase. */
import type { ContainerStateTerminated, ContainerStatus, Pod } from '../../api/gen/types.ts';
import { containersOf, type PodContainer } from './containers.ts';
import { RESTARTING_REASON } from './restart-all.ts';
import { restartsAfter } from './restart-rules.ts';

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export interface PhaseFacts {
	/** Nothing of the pod runs any more, and nothing will. */
	readonly ended: boolean;
	/** In the sandbox that it has now, a regular container has been made. */
	readonly initialized: boolean;
}

export function phaseOf(pod: Pod, statuses: ReadonlyMap<string, ContainerStatus>, { ended, initialized }: PhaseFacts): Phase {
	const containers = containersOf(pod).filter((c) => c.kind !== 'ephemeral');
	const apps = containers.filter((c) => c.kind === 'app');
	let [pending, starting, failedInit, running, stopped, failed, waiting] = [0, 0, 0, 0, 0, 0, 0];
	let restartable = false;
	for (const c of containers) {
		const status = statuses.get(c.spec.name);
		const state = status?.state;
		const ending = state?.terminated ?? (state?.waiting === undefined ? undefined : status?.lastState?.terminated);
		switch (c.kind) {
			case 'init':
				if (ending === undefined) pending++;
				else if (ending.exitCode !== 0 && !restartsAgain(pod, c, ending)) failedInit++;
				break;
			case 'sidecar':
				// It does not keep the pod, but the pod has not ended while it runs.
				if (state?.running !== undefined) running++;
				else if (ending === undefined) waiting++;
				if (ending === undefined && status?.started !== true) starting++;
				break;
			case 'app':
				if (state?.running !== undefined) running++;
				else if (ending !== undefined) {
					stopped++;
					if (ending.exitCode !== 0) failed++;
					if (restartsAgain(pod, c, ending)) restartable = true;
				} else waiting++;
				break;
			case 'ephemeral':
				break;
		}
	}
	if (failedInit > 0) return 'Failed';
	const initializing = pending > 0 || (starting > 0 && !initialized);
	if (ended && running === 0) return !initializing && stopped === apps.length && failed === 0 ? 'Succeeded' : 'Failed';
	if (initializing || waiting > 0) return 'Pending';
	if (running > 0) return 'Running';
	if (stopped === 0) return 'Pending';
	if (restartable) return 'Running';
	return failed === 0 ? 'Succeeded' : 'Failed';
}

function restartsAgain(pod: Pod, c: PodContainer, ending: ContainerStateTerminated): boolean {
	return ending.reason === RESTARTING_REASON || restartsAfter(pod, c, ending.exitCode);
}
