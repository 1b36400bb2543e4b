/** Where a container's resources could come from, as each of their kinds sees it. */
import type { Container, Pod } from '../../api/gen/types.ts';
import type { Mask } from './mask.ts';

export interface Hint {
	/** Undefined: of any node. */
	readonly nodes: Mask | undefined;
	/** No fewer nodes would do. */
	readonly preferred: boolean;
}

/** By resource: undefined where any node is as good as another, empty where none will do. */
export type Hints = Readonly<Record<string, readonly Hint[] | undefined>>;

/** One kind of resource that is given to containers piece by piece: processors, memory of nodes, devices. */
export interface Giver {
	/** Any of its containers gets something of it. */
	concerns(pod: Pod): boolean;
	hints(pod: Pod, container: Container): Hints;
	/** Of all its containers together. */
	podHints(pod: Pod): Hints;
	/** Throws when there is not enough. What the container has already stays as it is. */
	give(pod: Pod, container: Container, hint: Hint, signal: AbortSignal): Promise<void>;
	/** The pod has ended. */
	takeBack(uid: string): void;
	/** Pods that have something. */
	holders(): readonly string[];
	/** Resolves once what was given is on disk; throws what keeps it from there. */
	saved(): Promise<void>;
}

export const ANYWHERE: Hint = { nodes: undefined, preferred: false };

/** The sets that can give it; those of the fewest nodes that could on an empty machine are preferred. */
export function hintsOf(
	masks: Iterable<Mask>,
	sizeOf: (mask: Mask) => number,
	could: (mask: Mask) => boolean,
	can: (mask: Mask) => boolean,
): readonly Hint[] {
	let fewest = Number.POSITIVE_INFINITY;
	const found: Mask[] = [];
	for (const mask of masks) {
		if (!could(mask)) continue;
		fewest = Math.min(fewest, sizeOf(mask));
		if (can(mask)) found.push(mask);
	}
	return found.map((nodes) => ({ nodes, preferred: sizeOf(nodes) === fewest }));
}
