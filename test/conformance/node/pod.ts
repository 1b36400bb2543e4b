/** Pods of a behaviour: made, run to the end or until they are ready, and asked. */
import { CoreV1Api, type V1Container, type V1ObjectMeta, type V1Pod, type V1PodSpec } from '@kubernetes/client-node';
import { eventually } from '../../tools/eventually.ts';
import type { World } from '../suite.ts';

/** A pod may wait for sixteen others, on a machine that is busy: bounds, no measures. */
export const BOUND_MS = 180_000;

/** Keys of taints that behaviours set on the node that all share: every pod of the suite bears those but the one that is meant. */
export const TAINTS = { several: 'kubeling.test/several', one: 'kubeling.test/one' } as const;

export const BEARS_ALL = Object.values(TAINTS).map((key) => ({ key, operator: 'Exists' }));

/** A script that stays, and goes at once when it is told to. */
export const STAYS = 'trap "exit 0" TERM; while :; do sleep 0.2; done';

export interface Wanted {
	readonly name?: string;
	/** Runs in the first container, with a shell. */
	readonly script?: string;
	/** Goes over the first container. */
	readonly container?: Partial<V1Container>;
	/** Goes over the spec. */
	readonly spec?: Partial<V1PodSpec>;
	readonly metadata?: V1ObjectMeta;
}

let serial = 0;

/** A container "c" with a shell that runs the script; without one it has what the image starts. */
export function containerOf({ image }: World, script?: string, more: Partial<V1Container> = {}): V1Container {
	return { name: 'c', image, ...(script === undefined ? {} : { command: ['sh', '-c', script] }), ...more };
}

export function podOf(world: World, { name, script, container, spec, metadata }: Wanted): V1Pod {
	return {
		metadata: { ...metadata, name: name ?? `pod-${++serial}` },
		spec: {
			restartPolicy: 'Never',
			terminationGracePeriodSeconds: 0,
			tolerations: BEARS_ALL,
			...spec,
			containers: spec?.containers ?? [containerOf(world, script, container)],
		},
	};
}

export const nameOf = ({ metadata }: V1Pod): string => metadata?.name ?? '';

export function create(world: World, wanted: Wanted): Promise<V1Pod> {
	return world.api(CoreV1Api).createNamespacedPod({ namespace: world.namespace, body: podOf(world, wanted) });
}

export function read({ api, namespace }: World, name: string): Promise<V1Pod> {
	return api(CoreV1Api).readNamespacedPod({ namespace, name });
}

/** Resolves with the pod once `seen` of it holds; what it is instead stands in the error. */
export async function until(world: World, name: string, what: string, seen: (pod: V1Pod) => unknown, timeoutMs = BOUND_MS): Promise<V1Pod> {
	let last: V1Pod | undefined;
	return eventually(
		() => `${name} ${what}; it is ${JSON.stringify(last?.status)}`,
		async () => {
			last = await read(world, name);
			return Boolean(seen(last)) && last;
		},
		timeoutMs,
	);
}

export const isReady = ({ status }: V1Pod): boolean => status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
export const isOver = ({ status }: V1Pod): boolean => ['Succeeded', 'Failed'].includes(status?.phase ?? '');

/** Made, and ready. */
export async function running(world: World, wanted: Wanted): Promise<V1Pod> {
	return until(world, nameOf(await create(world, wanted)), 'is ready', isReady);
}

/** Made, and run to its end. */
export async function ended(world: World, wanted: Wanted): Promise<V1Pod> {
	return until(world, nameOf(await create(world, wanted)), 'is over', isOver);
}

export function logOf({ api, namespace }: World, name: string, container?: string): Promise<string> {
	return api(CoreV1Api).readNamespacedPodLog({ namespace, name, ...(container === undefined ? {} : { container }) });
}

/** What a pod that must succeed wrote. */
export async function output(world: World, wanted: Wanted): Promise<string> {
	const pod = await ended(world, wanted);
	const text = await logOf(world, nameOf(pod));
	if (pod.status?.phase !== 'Succeeded') throw new Error(`${nameOf(pod)} failed: ${JSON.stringify(pod.status)}; it wrote: ${text}`);
	return text;
}

/** Resolves once a container's log says so. */
export async function says(world: World, name: string, pattern: RegExp, container?: string): Promise<string> {
	let text = '';
	await eventually(
		() => `${name} writes ${pattern.source}; it wrote: ${text.slice(-1000)}`,
		async () => {
			text = await logOf(world, name, container).catch((error: Error) => error.message);
			return pattern.test(text);
		},
		BOUND_MS,
	);
	return text;
}

/** Runs a command in a pod's container with kubectl; resolves with what it printed. */
export function inside({ k }: World, name: string, script: string, container = 'c'): Promise<string> {
	return k.must(['exec', name, '-c', container, '--', 'sh', '-c', script], { timeoutMs: BOUND_MS });
}

/** How often the first container was started again. */
export const restarts = ({ status }: V1Pod): number => status?.containerStatuses?.[0]?.restartCount ?? 0;

/** The events about a pod. */
export async function eventsOf({ api, namespace }: World, name: string): Promise<readonly string[]> {
	const { items } = await api(CoreV1Api).listNamespacedEvent({ namespace, fieldSelector: `involvedObject.name=${name}` });
	return items.map(({ reason, message }) => `${reason}: ${message}`);
}

/** Resolves once an event of the pod says so. */
export async function tells(world: World, name: string, pattern: RegExp): Promise<void> {
	let seen: readonly string[] = [];
	await eventually(
		() => `an event about ${name} says ${pattern.source}; they say: ${seen.join('; ')}`,
		async () => {
			seen = await eventsOf(world, name);
			return seen.some((text) => pattern.test(text));
		},
		BOUND_MS,
	);
}

export const remove = ({ api, namespace }: World, name: string, gracePeriodSeconds?: number): Promise<V1Pod> =>
	api(CoreV1Api).deleteNamespacedPod({ namespace, name, ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }) });

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
