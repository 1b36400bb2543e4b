/** The conditions of a namespace that is going away, as upstream's namespace controller sets them. Pure. */
import type { NamespaceCondition } from '../../../api/gen/types.ts';

export interface Progress {
	readonly discoveryError?: string;
	readonly contentErrors: readonly string[];
	/** How many objects of a kind ("pods." or "deployments.apps") are left. */
	readonly remaining: ReadonlyMap<string, number>;
	/** How many objects still have a finalizer. */
	readonly finalizers: ReadonlyMap<string, number>;
}

/** What is said of versions that could not be asked for their resources; undefined where all could (client-go's ErrGroupDiscoveryFailed). */
export function discoveryFailure(stale: readonly string[]): string | undefined {
	if (stale.length === 0) return undefined;
	const each = stale.map((version) => `${version}: stale GroupVersion discovery: ${version}`).join(', ');
	return `Discovery failed for some groups, ${stale.length} failing: unable to retrieve the complete list of server APIs: ${each}`;
}

/** The conditions with this progress; transition times stay where the status stays. */
export function terminatingConditions(
	before: readonly NamespaceCondition[],
	progress: Progress,
	now: string,
): readonly NamespaceCondition[] {
	const { discoveryError, contentErrors, remaining, finalizers } = progress;
	const wanted = [
		discoveryError === undefined
			? met('NamespaceDeletionDiscoveryFailure', false, 'ResourcesDiscovered', 'All resources successfully discovered')
			: met('NamespaceDeletionDiscoveryFailure', true, 'DiscoveryFailed', discoveryError),
		met('NamespaceDeletionGroupVersionParsingFailure', false, 'ParsedGroupVersions', 'All legacy kube types successfully parsed'),
		contentErrors.length === 0
			? met('NamespaceDeletionContentFailure', false, 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization')
			: met(
					'NamespaceDeletionContentFailure',
					true,
					'ContentDeletionFailed',
					`Failed to delete all resource types, ${contentErrors.length} remaining: ${contentErrors.toSorted().join(', ')}`,
				),
		remaining.size === 0
			? met('NamespaceContentRemaining', false, 'ContentRemoved', 'All content successfully removed')
			: met(
					'NamespaceContentRemaining',
					true,
					'SomeResourcesRemain',
					`Some resources are remaining: ${describe(remaining, (kind, count) => `${kind} has ${count} resource instances`)}`,
				),
		finalizers.size === 0
			? met('NamespaceFinalizersRemaining', false, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished')
			: met(
					'NamespaceFinalizersRemaining',
					true,
					'SomeFinalizersRemain',
					`Some content in the namespace has finalizers remaining: ${describe(finalizers, (name, count) => `${name} in ${count} resource instances`)}`,
				),
	];
	const own = new Set(wanted.map((c) => c.type));
	return [
		...before.filter((c) => !own.has(c.type)),
		...wanted.map((condition) => {
			const old = before.find((c) => c.type === condition.type);
			return { ...condition, lastTransitionTime: old?.status === condition.status ? (old.lastTransitionTime ?? now) : now };
		}),
	];
}

function met(type: string, is: boolean, reason: string, message: string): NamespaceCondition {
	return { type, status: is ? 'True' : 'False', reason, message };
}

function describe(counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string {
	return [...counts]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, count]) => text(name, count))
		.join(', ');
}
