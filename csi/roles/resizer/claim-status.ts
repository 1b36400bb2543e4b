/** How far the growth of a claim's volume is, as its status says it (external-resizer's resize_status). */
import type { ClaimResourceStatus, PersistentVolumeClaim, PersistentVolumeClaimCondition } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import type { RoleDeps } from '../role.ts';

const RESIZE_CONDITIONS = new Set(['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError']);
/** Keeps the kubelet from growing what is grown. */
const NO_NODE_EXPANSION = 'volume.kubernetes.io/node-expansion-not-required';

type Condition = PersistentVolumeClaimCondition;

/** Conditions of growth are replaced; others stay. Pure. */
function mergeConditions(before: readonly Condition[], now: readonly Condition[], keep: boolean): readonly Condition[] {
	const rest = new Map(now.map((condition) => [condition.type, condition]));
	const merged = before.flatMap((condition): readonly Condition[] => {
		if (!RESIZE_CONDITIONS.has(condition.type)) return [condition];
		const replaced = rest.get(condition.type);
		rest.delete(condition.type);
		return replaced === undefined ? (keep ? [condition] : []) : [replaced];
	});
	return [...merged, ...rest.values()];
}

interface Change {
	readonly conditions: readonly Condition[];
	readonly keepConditions: boolean;
	/** null: no growth under way. */
	readonly resourceStatus?: ClaimResourceStatus | null;
	readonly allocated?: string;
	readonly capacity?: string;
	readonly noNodeExpansion?: boolean;
	/** Not when the claim has changed since. */
	readonly exactly: boolean;
}

async function patched(
	{ client }: RoleDeps,
	claim: PersistentVolumeClaim,
	change: Change,
	signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
	const { noNodeExpansion: marked, resourceStatus, allocated, capacity } = change;
	const metadata = {
		...(change.exactly ? { resourceVersion: claim.metadata.resourceVersion } : {}),
		...(marked === undefined ? {} : { annotations: { [NO_NODE_EXPANSION]: marked ? 'true' : null } }),
	};
	const status = {
		conditions: mergeConditions(claim.status?.conditions ?? [], change.conditions, change.keepConditions),
		...(resourceStatus === undefined ? {} : { allocatedResourceStatuses: resourceStatus === null ? null : { storage: resourceStatus } }),
		...(allocated === undefined ? {} : { allocatedResources: { storage: allocated } }),
		...(capacity === undefined ? {} : { capacity: { storage: capacity } }),
	};
	const patch = { type: 'merge', body: { metadata, status } } as const;
	return client.patch(PERSISTENT_VOLUME_CLAIMS, keyOf(claim), patch, { signal, subresource: 'status' });
}

function condition({ clock }: RoleDeps, type: string, message?: string): Condition {
	return { type, status: 'True', lastTransitionTime: timeOf(clock.now()), ...(message === undefined ? {} : { message }) };
}

export function markResizing(
	deps: RoleDeps,
	claim: PersistentVolumeClaim,
	size: string,
	anew: boolean,
	signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
	return patched(
		deps,
		claim,
		{
			conditions: [condition(deps, 'Resizing')],
			keepConditions: !anew,
			...(anew ? { resourceStatus: 'ControllerResizeInProgress' as const } : {}),
			allocated: size,
			noNodeExpansion: false,
			exactly: true,
		},
		signal,
	);
}

export function markForNode(deps: RoleDeps, claim: PersistentVolumeClaim, signal: AbortSignal): Promise<PersistentVolumeClaim> {
	const message = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.';
	return patched(
		deps,
		claim,
		{
			conditions: [condition(deps, 'FileSystemResizePending', message)],
			keepConditions: true,
			...{ resourceStatus: 'NodeResizePending', noNodeExpansion: false, exactly: true },
		},
		signal,
	);
}

export function markDone(deps: RoleDeps, claim: PersistentVolumeClaim, size: string, signal: AbortSignal): Promise<PersistentVolumeClaim> {
	return patched(
		deps,
		claim,
		{ conditions: [], keepConditions: false, resourceStatus: null, capacity: size, noNodeExpansion: true, exactly: true },
		signal,
	);
}

export function markFailed(
	deps: RoleDeps,
	claim: PersistentVolumeClaim,
	why: string,
	infeasible: boolean,
	signal: AbortSignal,
): Promise<PersistentVolumeClaim> {
	return patched(
		deps,
		claim,
		{
			conditions: [condition(deps, 'ControllerResizeError', `failed to expand pvc with ${why}`)],
			keepConditions: true,
			...(infeasible ? { resourceStatus: 'ControllerResizeInfeasible' as const } : {}),
			exactly: false,
		},
		signal,
	);
}
