/** What a check of the Pod Security Standards sees and says. */
import type { Container, EphemeralContainer, ObjectMeta, PodSpec } from '../../../../api/gen/types.ts';

export type Level = 'privileged' | 'baseline' | 'restricted';

export interface Subject {
	readonly metadata: ObjectMeta;
	readonly spec: PodSpec;
	/** The level being evaluated: some baseline checks are stricter under "restricted". */
	readonly level: Level;
	/** Minor version of the policy; Infinity for "latest". */
	readonly minor: number;
}

export interface Violation {
	/** "privileged" */
	readonly reason: string;
	/** `container "c" must not set securityContext.privileged=true` */
	readonly detail: string;
}

export type Check = (subject: Subject) => Violation | undefined;

/** All containers in the order upstream visits them. */
export function containersOf(spec: PodSpec): readonly (Container | EphemeralContainer)[] {
	return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** `container "a"` or `containers "a", "b"`. */
export function containerNames(containers: readonly { readonly name: string }[]): string {
	return `${containers.length === 1 ? 'container' : 'containers'} ${quoted(containers.map((c) => c.name))}`;
}

/** In quotes, as they are: quotes inside stay what they are. */
export function quoted(values: readonly string[]): string {
	return values.map((value) => `"${value}"`).join(', ');
}
