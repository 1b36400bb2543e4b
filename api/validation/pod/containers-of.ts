/** The containers of a pod, of all kinds. */
import type { Container, EphemeralContainer, PodSpec } from '../../gen/types.ts';

/** In upstream's order, each with its path. */
export function* containersOf(path: string, spec: PodSpec): Generator<readonly [path: string, container: Container | EphemeralContainer]> {
	for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const)
		for (const [i, container] of (spec[list] ?? []).entries()) yield [`${path}.${list}[${i}]`, container];
}
