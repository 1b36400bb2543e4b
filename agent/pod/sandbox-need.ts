/** Whether a pod needs a new sandbox. Pure. */
import type { Pod } from '../../api/gen/types.ts';
import type { PodRuntime } from '../runtime/runtime.ts';

export interface SandboxNeed {
	readonly create: boolean;
	/** A new one is needed, and the restart policy forbids it. */
	readonly forbidden: boolean;
	/** Of the new one. */
	readonly attempt: number;
	/** The one in use. */
	readonly id: string | undefined;
}

/** Upstream's PodSandboxChanged: none, several ready, the newest not ready, another network mode, or no address. */
export function sandboxNeed(pod: Pod, seen: PodRuntime | undefined): SandboxNeed {
	const newest = seen?.sandboxes[0];
	if (newest === undefined) return { create: true, forbidden: false, attempt: 0, id: undefined };
	const hostNetwork = pod.spec?.hostNetwork === true;
	const ready = seen?.sandboxes.filter((s) => s.ready).length ?? 0;
	const create = ready > 1 || !newest.ready || newest.hostNetwork !== hostNetwork || (!hostNetwork && newest.ips.length === 0);
	if (!create) return { create: false, forbidden: false, attempt: newest.attempt, id: newest.id };
	const forbidden = !restarts(pod) && (seen?.containers.length ?? 0) > 0;
	return { create: true, forbidden, attempt: newest.attempt + 1, id: undefined };
}

/** Whether anything of the pod ever starts a second time. */
function restarts(pod: Pod): boolean {
	if (pod.spec?.restartPolicy !== 'Never') return true;
	return pod.spec.containers.some((c) => (c.restartPolicy ?? 'Never') !== 'Never' || (c.restartPolicyRules ?? []).length > 0);
}
