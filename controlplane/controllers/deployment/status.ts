/** Status and conditions of a Deployment: Available, Progressing (with its deadline), ReplicaFailure. Pure. */
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../../api/gen/types.ts';
import { timeOf } from '../../../api/time.ts';
import { fenceposts, sum } from './rolling.ts';

export interface Seen {
	readonly fresh: ReplicaSet | undefined;
	readonly all: readonly ReplicaSet[];
	/** The new set was made or found in this pass. */
	readonly note?:
		| {
				readonly reason: 'NewReplicaSetCreated' | 'FoundNewReplicaSet' | 'ReplicaSetCreateError' | 'ReplicaSetUpdated';
				readonly message: string;
		  }
		| undefined;
}

/** The status that the sets show. */
export function statusOf(deployment: Deployment, seen: Seen, now: number): DeploymentStatus {
	const { all, fresh } = seen;
	const count = (of: 'replicas' | 'readyReplicas' | 'availableReplicas' | 'terminatingReplicas'): number =>
		sum(all, (rs) => rs.status?.[of] ?? 0);
	const availableReplicas = count('availableReplicas');
	const status: DeploymentStatus = {
		observedGeneration: deployment.metadata.generation,
		replicas: count('replicas'),
		updatedReplicas: fresh?.status?.replicas ?? 0,
		readyReplicas: count('readyReplicas'),
		availableReplicas,
		unavailableReplicas: Math.max(0, sum(all, (rs) => rs.spec?.replicas ?? 0) - availableReplicas),
		terminatingReplicas: count('terminatingReplicas'),
	};
	if (deployment.status?.collisionCount !== undefined) status.collisionCount = deployment.status.collisionCount;
	status.conditions = [...conditionsOf(deployment, status, seen, now)];
	return status;
}

function conditionsOf(deployment: Deployment, status: DeploymentStatus, seen: Seen, now: number): readonly DeploymentCondition[] {
	const isTimed = deadlineMs(deployment) !== undefined;
	let conditions: readonly DeploymentCondition[] = (deployment.status?.conditions ?? []).filter((c) => isTimed || c.type !== 'Progressing');
	const enough = (status.availableReplicas ?? 0) >= (deployment.spec?.replicas ?? 1) - fenceposts(deployment).unavailable;
	conditions = set(
		conditions,
		enough
			? { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
			: {
					type: 'Available',
					status: 'False',
					reason: 'MinimumReplicasUnavailable',
					message: 'Deployment does not have minimum availability.',
				},
		now,
	);
	const byWeight = seen.fresh === undefined ? seen.all : [seen.fresh, ...seen.all];
	const failure = byWeight.flatMap((rs) => rs.status?.conditions ?? []).find((c) => c.type === 'ReplicaFailure');
	if (failure !== undefined)
		conditions = set(conditions, { type: 'ReplicaFailure', status: failure.status, reason: failure.reason, message: failure.message }, now);
	else conditions = conditions.filter((c) => c.type !== 'ReplicaFailure');
	const progressing = progressOf(deployment, status, seen, now);
	return progressing === undefined ? conditions : set(conditions, progressing, now);
}

type Draft = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Every rollout is complete when all replicas are updated and available and none is left of the old ones. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
	const desired = deployment.spec?.replicas ?? 1;
	return (
		status.updatedReplicas === desired &&
		status.replicas === desired &&
		status.availableReplicas === desired &&
		status.observedGeneration === deployment.metadata.generation
	);
}

function hasProgressed(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
	const old = (s: DeploymentStatus | undefined): number => (s?.replicas ?? 0) - (s?.updatedReplicas ?? 0);
	return (
		(after.updatedReplicas ?? 0) > (before?.updatedReplicas ?? 0) ||
		old(after) < old(before) ||
		(after.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
		(after.availableReplicas ?? 0) > (before?.availableReplicas ?? 0)
	);
}

/** The deadline after which a rollout without progress has failed, ms; undefined when there is none. */
export function deadlineMs(deployment: Deployment): number | undefined {
	const seconds = deployment.spec?.progressDeadlineSeconds;
	return seconds === undefined || seconds === 2 ** 31 - 1 ? undefined : seconds * 1000;
}

function progressOf(deployment: Deployment, status: DeploymentStatus, seen: Seen, now: number): Draft | undefined {
	const deadline = deadlineMs(deployment);
	if (deadline === undefined) return undefined;
	const current = deployment.status?.conditions?.find((c) => c.type === 'Progressing');
	const name = seen.fresh?.metadata.name;
	const subject = name === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${name}"`;
	if (deployment.spec?.paused === true)
		return current?.reason === 'ProgressDeadlineExceeded'
			? undefined
			: { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' };
	if (current?.reason === 'DeploymentPaused')
		return { type: 'Progressing', status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' };
	if (seen.note !== undefined && seen.note.reason !== 'FoundNewReplicaSet')
		return { type: 'Progressing', status: seen.note.reason === 'ReplicaSetCreateError' ? 'False' : 'True', ...seen.note };
	if (seen.note !== undefined && current === undefined) return { type: 'Progressing', status: 'True', ...seen.note };
	const settled = status.replicas === status.updatedReplicas && current?.reason === 'NewReplicaSetAvailable';
	if (settled) return undefined;
	if (isComplete(deployment, status))
		return { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message: `${subject} has successfully progressed.` };
	if (hasProgressed(deployment.status, status))
		return { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` };
	if (current !== undefined && timedOut(current, deadline, now))
		return { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: `${subject} has timed out progressing.` };
	return undefined;
}

function timedOut(condition: DeploymentCondition, deadline: number, now: number): boolean {
	if (condition.reason === 'ProgressDeadlineExceeded') return true;
	return Date.parse(condition.lastUpdateTime ?? '') + deadline <= now;
}

/** Sets one condition: transition time moves with the status, update time with any change (a progress note always counts as one). */
function set(conditions: readonly DeploymentCondition[], next: Draft, now: number): readonly DeploymentCondition[] {
	const before = conditions.find((c) => c.type === next.type);
	const progress = next.type === 'Progressing' && next.reason === 'ReplicaSetUpdated';
	if (before !== undefined && before.status === next.status && before.reason === next.reason && !progress) return conditions;
	const lastTransitionTime = before?.status === next.status ? before.lastTransitionTime : timeOf(now);
	return [...conditions.filter((c) => c.type !== next.type), { ...next, lastUpdateTime: timeOf(now), lastTransitionTime }];
}

/** When the progress deadline strikes, ms from now; undefined when none is running. */
export function msUntilDeadline(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
	const deadline = deadlineMs(deployment);
	const current = status.conditions?.find((c) => c.type === 'Progressing');
	if (deadline === undefined || current === undefined || deployment.spec?.paused === true) return undefined;
	if (isComplete(deployment, status) || current.reason === 'ProgressDeadlineExceeded' || current.reason === 'NewReplicaSetAvailable')
		return undefined;
	return Math.max(1000, Date.parse(current.lastUpdateTime ?? '') + deadline - now + 1000);
}
