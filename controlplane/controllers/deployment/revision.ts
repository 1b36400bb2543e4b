/** Revisions of a Deployment: which ReplicaSet is the new one, template hashes, revision numbers and history. Pure. */
import { createHash } from 'node:crypto';
import type { Deployment, PodTemplateSpec, ReplicaSet } from '../../../api/gen/types.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const TEMPLATE_HASH = 'pod-template-hash';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Annotations of a Deployment that its ReplicaSets do not inherit (upstream's annotationsToSkip). */
const NOT_COPIED = new Set([LAST_APPLIED, REVISION, REVISION_HISTORY, DESIRED_REPLICAS, MAX_REPLICAS, 'deprecated.deployment.rollback.to']);

/** Hash letters without vowels and lookalikes (upstream's rand.SafeEncodeString alphabet). */
const SAFE = 'bcdfghjklmnpqrstvwxz2456789';

/** A short, stable name part of a pod template; `collisions` makes another one when two templates share it. */
export function templateHash(template: PodTemplateSpec, collisions: number): string {
	const digest = createHash('sha256').update(stable(template)).update(String(collisions)).digest();
	return Array.from(digest.subarray(0, 10), (byte) => SAFE[byte % SAFE.length]).join('');
}

/** JSON with keys in order, nulls and absent fields alike left out. */
function stable(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
	const entries = Object.entries(value).filter(([, v]) => v !== undefined && v !== null);
	return `{${entries
		.toSorted(([a], [b]) => (a < b ? -1 : 1))
		.map(([k, v]) => `${JSON.stringify(k)}:${stable(v)}`)
		.join(',')}}`;
}

/** True when two templates say the same but for the hash label (upstream's EqualIgnoreHash). */
export function sameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
	return stable(withoutHash(a)) === stable(withoutHash(b));
}

function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
	if (template?.metadata?.labels?.[TEMPLATE_HASH] === undefined) return template;
	const { [TEMPLATE_HASH]: _, ...labels } = template.metadata.labels;
	return { ...template, metadata: { ...template.metadata, labels } };
}

/** A 64-bit number, as upstream reads it; 0 where there is none. */
export function revisionOf(object: { readonly metadata: { readonly annotations?: Record<string, string> | undefined } }): bigint {
	const text = object.metadata.annotations?.[REVISION] ?? '';
	const value = /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
	return value === BigInt.asIntN(64, value) ? value : 0n;
}

/** One more than any of them has. */
export function nextRevision(sets: readonly ReplicaSet[]): bigint {
	return latest([0n, ...sets.map(revisionOf)]) + 1n;
}

export function latest(revisions: readonly bigint[]): bigint {
	return revisions.reduce((a, b) => (a > b ? a : b));
}

/** The ReplicaSet with the Deployment's template, the oldest when there are several; undefined before it is made. */
export function newReplicaSetOf(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
	return sets.filter((rs) => sameTemplate(rs.spec?.template, deployment.spec?.template)).toSorted(byCreation)[0];
}

export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
	const [ta, tb] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
	return ta < tb ? -1 : ta > tb ? 1 : (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

/** The annotations that the new ReplicaSet must carry: the Deployment's, its revision and the history of revisions it had before. */
export function newSetAnnotations(deployment: Deployment, rs: ReplicaSet | undefined, revision: bigint): Record<string, string> {
	const before = rs?.metadata.annotations ?? {};
	const copied = Object.fromEntries(Object.entries(deployment.metadata.annotations ?? {}).filter(([k]) => !NOT_COPIED.has(k)));
	const out: Record<string, string> = { ...before, ...copied };
	const had = rs === undefined ? 0n : revisionOf(rs);
	if (had >= revision) return out;
	if (had > 0n) {
		const history = before[REVISION_HISTORY];
		out[REVISION_HISTORY] = history === undefined || history === '' ? String(had) : `${history},${had}`;
	}
	out[REVISION] = String(revision);
	return out;
}

/** Old sets beyond the history limit that may be deleted: scaled down, settled, oldest first. */
export function historyToDelete(deployment: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
	const keep = deployment.spec?.revisionHistoryLimit ?? 10;
	const settled = old.filter((rs) => rs.metadata.deletionTimestamp === undefined);
	return settled
		.toSorted((a, b) => (revisionOf(a) < revisionOf(b) ? -1 : revisionOf(a) > revisionOf(b) ? 1 : 0))
		.slice(0, Math.max(0, settled.length - keep))
		.filter(
			(rs) =>
				(rs.spec?.replicas ?? 0) === 0 &&
				(rs.status?.replicas ?? 0) === 0 &&
				(rs.metadata.generation ?? 0) <= (rs.status?.observedGeneration ?? 0),
		);
}
