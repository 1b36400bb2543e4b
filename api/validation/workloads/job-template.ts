/** What of its template a Job that waits may change: where its pods run, and what they ask for (upstream validatePodTemplateUpdate). Pure. */
import type { Affinity, Container, Job, PodSpec } from '../../gen/types.ts';

/** It is stopped, and no pod of it is left. */
export function isWaiting({ spec, status }: Job): boolean {
	const isStopped = status?.startTime === undefined || (status.conditions ?? []).some((c) => c.type === 'Suspended' && c.status === 'True');
	return spec?.suspend === true && isStopped && (status?.active ?? 0) === 0;
}

/** The pods as they were, with what may change as it is now. */
export function redirected(now: PodSpec | undefined, before: PodSpec | undefined): PodSpec | undefined {
	if (now === undefined || before === undefined) return before;
	const { affinity: _, ...rest } = before;
	const affinity = withNodeAffinityOf(now.affinity, before.affinity);
	const { nodeSelector, tolerations, schedulingGates } = now;
	return {
		...rest,
		...(affinity === undefined ? {} : { affinity }),
		...{ nodeSelector, tolerations, schedulingGates },
		containers: asking(now.containers, before.containers),
		...(before.initContainers === undefined ? {} : { initContainers: asking(now.initContainers, before.initContainers) }),
	};
}

function withNodeAffinityOf(now: Affinity | undefined, before: Affinity | undefined): Affinity | undefined {
	const { nodeAffinity: _, ...others } = before ?? {};
	if (now === undefined && Object.keys(others).length === 0) return undefined;
	return { ...others, ...(now?.nodeAffinity === undefined ? {} : { nodeAffinity: now.nodeAffinity }) };
}

/** As many as before, of the same names. */
function asking(now: readonly Container[] = [], before: readonly Container[] = []): Container[] {
	return before.map((old, i) => {
		const { resources } = now[i] ?? {};
		const { resources: _, ...rest } = old;
		if (now.length !== before.length || now[i]?.name !== old.name) return old;
		return resources === undefined ? rest : { ...rest, resources };
	});
}
