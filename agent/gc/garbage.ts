/** Which containers and sandboxes of pods that live on are of no more use. Pure; upstream's MaxPerPodContainer of one. */
import type { ContainerRuntime, PodRuntime, SandboxRuntime } from '../runtime/runtime.ts';

export interface Garbage {
	readonly containers: readonly ContainerRuntime[];
	readonly sandboxes: readonly SandboxRuntime[];
}

/** Of each name stay the newest container and the newest that has ended; of sandboxes the newest, and those that still hold a container. */
export function garbageOf(pod: PodRuntime): Garbage {
	const names = new Set(pod.containers.map((c) => c.name));
	const containers = [...names].flatMap((name) => {
		const all = pod.containers.filter((c) => c.name === name);
		const ended = all.find((c) => c.state === 'exited');
		return all.slice(1).filter((c) => c !== ended && c.state !== 'running');
	});
	const holding = new Set(pod.containers.filter((c) => !containers.includes(c)).map((c) => c.sandboxId));
	return { containers, sandboxes: pod.sandboxes.slice(1).filter((s) => !s.ready && !holding.has(s.id)) };
}
