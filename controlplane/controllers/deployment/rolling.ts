/** How many pods each ReplicaSet of a Deployment gets next: rolling updates, Recreate, and proportional scaling. Pure. */
import type { Deployment, ReplicaSet } from '../../../api/gen/types.ts';
import { DESIRED_REPLICAS, MAX_REPLICAS, byCreation } from './revision.ts';

/** A ReplicaSet by name and the replicas it is to have. */
export interface Scale {
	readonly name: string;
	readonly replicas: number;
}

export const replicasOf = (rs: ReplicaSet): number => rs.spec?.replicas ?? 0;
export const sum = (sets: readonly ReplicaSet[], of: (rs: ReplicaSet) => number): number => sets.reduce((n, rs) => n + of(rs), 0);
const available = (rs: ReplicaSet): number => rs.status?.availableReplicas ?? 0;

/** A count or a percentage of `total`; percentages of surge round up, of unavailability down (upstream's ResolveFenceposts). */
function resolve(value: number | string | undefined, total: number, round: (n: number) => number): number {
	if (typeof value === 'number') return value;
	const percent = /^(\d+)%$/.exec(value ?? '')?.[1];
	return percent === undefined ? 0 : round((Number(percent) * total) / 100);
}

/** maxSurge and maxUnavailable in pods; both zero would never move, then one may be unavailable. */
export function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
	const total = deployment.spec?.replicas ?? 1;
	if (deployment.spec?.strategy?.type === 'Recreate') return { surge: 0, unavailable: 0 };
	const rolling = deployment.spec?.strategy?.rollingUpdate;
	const surge = resolve(rolling?.maxSurge ?? '25%', total, Math.ceil);
	const unavailable = Math.min(total, resolve(rolling?.maxUnavailable ?? '25%', total, Math.floor));
	return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

/** Replicas of the new set after one step of a rolling update (upstream's NewRSNewReplicas). */
export function newSetReplicas(deployment: Deployment, all: readonly ReplicaSet[], fresh: ReplicaSet): number {
	const desired = deployment.spec?.replicas ?? 1;
	if (replicasOf(fresh) > desired) return desired;
	if (deployment.spec?.strategy?.type === 'Recreate') return desired;
	const room = desired + fenceposts(deployment).surge - sum(all, replicasOf);
	return room <= 0 ? replicasOf(fresh) : Math.min(desired, replicasOf(fresh) + room);
}

/** What old sets shrink to in one step: unhealthy pods first, then healthy ones as far as availability allows. */
export function oldSetScales(deployment: Deployment, old: readonly ReplicaSet[], fresh: ReplicaSet): readonly Scale[] {
	const active = old.filter((rs) => replicasOf(rs) > 0).toSorted(byCreation);
	if (active.length === 0) return [];
	const desired = deployment.spec?.replicas ?? 1;
	const minAvailable = desired - fenceposts(deployment).unavailable;
	const newUnavailable = replicasOf(fresh) - available(fresh);
	let budget = sum([...old, fresh], replicasOf) - minAvailable - newUnavailable;
	if (budget <= 0) return [];
	const size = new Map(active.map((rs) => [rs.metadata.name ?? '', replicasOf(rs)]));
	for (const rs of active) {
		const unhealthy = Math.min(budget, replicasOf(rs) - Math.min(replicasOf(rs), available(rs)));
		size.set(rs.metadata.name ?? '', replicasOf(rs) - unhealthy);
		budget -= unhealthy;
	}
	let spare = sum([...old, fresh], available) - minAvailable;
	for (const rs of active) {
		if (spare <= 0) break;
		const now = size.get(rs.metadata.name ?? '') ?? 0;
		const less = Math.min(now, spare);
		size.set(rs.metadata.name ?? '', now - less);
		spare -= less;
	}
	return active
		.filter((rs) => size.get(rs.metadata.name ?? '') !== replicasOf(rs))
		.map((rs) => ({ name: rs.metadata.name ?? '', replicas: size.get(rs.metadata.name ?? '') ?? 0 }));
}

/** True when the Deployment was scaled since its sets were last sized: then sets keep their proportions instead of rolling on. */
export function isScalingEvent(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
	return sets
		.filter((rs) => replicasOf(rs) > 0)
		.some((rs) => {
			const desired = rs.metadata.annotations?.[DESIRED_REPLICAS];
			return desired !== undefined && Number(desired) !== (deployment.spec?.replicas ?? 1);
		});
}

/** Sizes of all sets after a scaling event: one active set takes all; in the middle of a rolling update each gets its share (upstream's scale()). */
export function proportionalScales(deployment: Deployment, fresh: ReplicaSet | undefined, old: readonly ReplicaSet[]): readonly Scale[] {
	const desired = deployment.spec?.replicas ?? 1;
	const sets = [...old, ...(fresh === undefined ? [] : [fresh])];
	const active = sets.filter((rs) => replicasOf(rs) > 0);
	const only = active.length === 1 ? active[0] : active.length === 0 ? (fresh ?? old.toSorted(byCreation).at(-1)) : undefined;
	if (only !== undefined) return replicasOf(only) === desired ? [] : [{ name: only.metadata.name ?? '', replicas: desired }];
	const saturated = fresh !== undefined && replicasOf(fresh) === desired && available(fresh) === desired;
	if (saturated) return old.filter((rs) => replicasOf(rs) > 0).map((rs) => ({ name: rs.metadata.name ?? '', replicas: 0 }));
	if (deployment.spec?.strategy?.type === 'Recreate') return [];
	const allowed = desired > 0 ? desired + fenceposts(deployment).surge : 0;
	const add = allowed - sum(active, replicasOf);
	const order = active.toSorted((a, b) => replicasOf(b) - replicasOf(a) || (add > 0 ? byCreation(b, a) : byCreation(a, b)));
	let added = 0;
	const sizes = order.map((rs) => {
		const share = add === 0 ? 0 : proportion(rs, deployment, add, added);
		added += share;
		return { name: rs.metadata.name ?? '', replicas: replicasOf(rs) + share };
	});
	const [largest, ...rest] = sizes;
	return largest === undefined ? [] : [{ ...largest, replicas: Math.max(0, largest.replicas + add - added) }, ...rest];
}

function proportion(rs: ReplicaSet, deployment: Deployment, add: number, added: number): number {
	const size = replicasOf(rs);
	if (size === 0 || add === added) return 0;
	if (deployment.spec?.replicas === 0) return -size;
	const before = Number(rs.metadata.annotations?.[MAX_REPLICAS] ?? 0) || (deployment.status?.replicas ?? 0);
	if (before === 0) return 0; // nobody knows any more of what this was a share
	const target = (size * ((deployment.spec?.replicas ?? 1) + fenceposts(deployment).surge)) / before;
	const share = Math.round(target) - size;
	const left = add - added;
	return add > 0 ? Math.min(share, left) : Math.max(share, left);
}
