/** Which pod and container a path means. */
import type { Pod } from '../../api/gen/types.ts';
import { AppError } from '../../base/errors.ts';
import { containerNamed } from '../pod/containers.ts';
import type { ContainerRuntime, Runtime } from '../runtime/runtime.ts';

export interface Place {
	readonly namespace: string;
	readonly pod: string;
	readonly uid: string | undefined;
	readonly container: string | undefined;
}

/** Pure: the parts after the verb: `ns/pod/container`, or `ns/pod/uid/container`. */
export function placeOf(parts: readonly string[], withContainer: boolean): Place | undefined {
	const [namespace, pod, ...rest] = parts.map(decodeURIComponent);
	if (namespace === undefined || pod === undefined || rest.some((p) => p === '')) return undefined;
	if (withContainer) {
		if (rest.length === 1) return { namespace, pod, uid: undefined, container: rest[0] };
		return rest.length === 2 ? { namespace, pod, uid: rest[0], container: rest[1] } : undefined;
	}
	return rest.length <= 1 ? { namespace, pod, uid: rest[0], container: undefined } : undefined;
}

export function findPod(pods: readonly Pod[], place: Place): Pod {
	const found = pods.find(
		(p) =>
			p.metadata.namespace === place.namespace &&
			p.metadata.name === place.pod &&
			(place.uid === undefined || p.metadata.uid === place.uid),
	);
	if (found === undefined) throw new AppError('NotFound', `pod does not exist`);
	return found;
}

/** Whose log is meant: the newest of that name, or the one before it. */
export async function findContainer(
	pod: Pod,
	name: string,
	previous: boolean,
	runtime: Runtime,
	signal: AbortSignal,
): Promise<ContainerRuntime> {
	if (containerNamed(pod, name) === undefined)
		throw new AppError('NotFound', `container "${name}" not found in pod "${pod.metadata.name ?? ''}"`);
	const seen = await runtime.pod(pod.metadata.uid ?? '', signal);
	const all = (seen?.containers ?? []).filter((c) => c.name === name);
	const label = `container "${name}" in pod "${pod.metadata.name ?? ''}"`;
	if (previous) {
		const found = all.find((c) => c.state === 'exited');
		if (found === undefined) throw new AppError('InvalidArgument', `previous terminated ${label} not found`);
		return found;
	}
	const newest = all.find((c) => c.state !== 'created');
	if (newest === undefined) throw new AppError('InvalidArgument', `${label} is waiting to start: ${waitingReason(pod, name)}`);
	return newest;
}

/** The one of that name in which something can be run. */
export async function runningContainer(pod: Pod, name: string, runtime: Runtime, signal: AbortSignal): Promise<ContainerRuntime> {
	const seen = await runtime.pod(pod.metadata.uid ?? '', signal);
	const found = seen?.containers.find((c) => c.name === name && c.state === 'running');
	if (found === undefined) throw new AppError('Internal', `container not found ("${name}")`);
	return found;
}

function waitingReason(pod: Pod, name: string): string {
	const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
	const status = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find((s) => s.name === name);
	return status?.state?.waiting?.reason ?? 'ContainerCreating';
}
