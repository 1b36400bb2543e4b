/** The containers of a Pod in the order and with the rules of their kind. */
import type { Container, EphemeralContainer, Pod } from '../../api/gen/types.ts';

/** A sidecar is an init container with restartPolicy Always. */
export type ContainerKind = 'init' | 'sidecar' | 'app' | 'ephemeral';

export interface PodContainer {
	readonly kind: ContainerKind;
	readonly spec: Container;
	/** Of an ephemeral container: the container whose process namespace it joins. */
	readonly target: string;
}

/** Init containers and sidecars, then regular ones, then ephemeral ones; each in the order of the spec. */
export function containersOf(pod: Pod): readonly PodContainer[] {
	const spec = pod.spec;
	return [
		...(spec?.initContainers ?? []).map((c): PodContainer => ({ kind: isSidecar(c) ? 'sidecar' : 'init', spec: c, target: '' })),
		...(spec?.containers ?? []).map((c): PodContainer => ({ kind: 'app', spec: c, target: '' })),
		...(spec?.ephemeralContainers ?? []).map(
			(c: EphemeralContainer): PodContainer => ({ kind: 'ephemeral', spec: c, target: c.targetContainerName ?? '' }),
		),
	];
}

export function containerNamed(pod: Pod, name: string): PodContainer | undefined {
	return containersOf(pod).find((c) => c.spec.name === name);
}

export function isSidecar(container: Container): boolean {
	return container.restartPolicy === 'Always';
}

/** The field of the Pod that an event is about, as upstream writes it: `spec.containers{web}`. */
export function fieldPathOf(container: PodContainer): string {
	const list = { app: 'containers', init: 'initContainers', sidecar: 'initContainers', ephemeral: 'ephemeralContainers' }[container.kind];
	return `spec.${list}{${container.spec.name}}`;
}
