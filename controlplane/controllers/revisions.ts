/** ControllerRevisions: what a workload's template was, so that pods can be told apart and kubectl can roll back (upstream's controller/history). */
import type { ControllerRevision, PodTemplateSpec } from '../../api/gen/types.ts';
import { keyOf } from '../../api/resource.ts';
import { CONTROLLER_REVISIONS } from '../../api/resources.ts';
import { sameButNulls } from '../../api/same-json.ts';
import { codeOf, ignore } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { Owner } from './claim.ts';
import { templateHash } from './deployment/revision.ts';
import { controllerRef } from './owned.ts';

/** On revisions and on the pods that were made by them. */
export const REVISION_HASH = 'controller-revision-hash';

/** The strategic merge patch that brings the template back, its keys in the order in which upstream's have them. */
export function templatePatch(template: PodTemplateSpec | undefined): object {
	return { spec: { template: sorted({ ...template, $patch: 'replace' }) } };
}

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value).filter(([, part]) => part !== undefined);
	return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, part]) => [key, sorted(part)]));
}

/** The template that a revision holds; undefined where it is none of ours. */
export function templateOf(revision: ControllerRevision): PodTemplateSpec | undefined {
	const template = (revision.data as { readonly spec?: { readonly template?: Record<string, unknown> } } | undefined)?.spec?.template;
	if (template === undefined) return undefined;
	const { $patch: _, ...plain } = template;
	return plain as PodTemplateSpec;
}

export function holds(revision: ControllerRevision, template: PodTemplateSpec | undefined): boolean {
	return sameButNulls(revision.data, templatePatch(template));
}

export function byRevision(revisions: readonly ControllerRevision[]): readonly ControllerRevision[] {
	return revisions.toSorted((a, b) => a.revision - b.revision || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
}

export interface Wanted {
	readonly owner: Owner;
	readonly template: PodTemplateSpec | undefined;
	readonly labels: Readonly<Record<string, string>> | undefined;
	readonly revision: number;
	readonly collisions: number;
	/** The label that holds the hash; REVISION_HASH unless told. */
	readonly hashLabel?: string;
	/** Of the template and the collisions, for the name; upstream's kinds have several. */
	readonly hash?: (template: PodTemplateSpec, collisions: number) => string;
}

/** Writes the revision, or finds that it is there; 'collision' where its name belongs to another template. */
export async function createRevision(client: Client, wanted: Wanted, signal: AbortSignal): Promise<ControllerRevision | 'collision'> {
	const { owner, template, labels, revision, collisions, hashLabel = REVISION_HASH, hash: hashOf = templateHash } = wanted;
	const { name, namespace, annotations } = owner.object.metadata;
	const hash = hashOf(template ?? {}, collisions);
	const made: ControllerRevision = {
		metadata: {
			...{ name: `${(name ?? '').slice(0, 252 - hash.length)}-${hash}`, namespace, annotations },
			labels: { ...labels, [hashLabel]: hash },
			ownerReferences: [controllerRef(owner.resource, owner.object)],
		},
		data: templatePatch(template) as never,
		revision,
	};
	try {
		return await client.create(CONTROLLER_REVISIONS, made, { signal });
	} catch (error) {
		if (codeOf(error) !== 'AlreadyExists') throw error;
		const present = await client.get(CONTROLLER_REVISIONS, keyOf(made), { signal });
		return holds(present, template) ? present : 'collision';
	}
}

/** Gives a revision that is current again the newest number. */
export async function renumber(
	client: Client,
	present: ControllerRevision,
	revision: number,
	signal: AbortSignal,
): Promise<ControllerRevision> {
	return present.revision >= revision ? present : await client.update(CONTROLLER_REVISIONS, { ...present, revision }, { signal });
}

/** Deletes the oldest of `old` that nobody lives by, down to `limit`; a negative one, which StatefulSets may have, is none. */
export async function truncate(
	client: Client,
	old: readonly ControllerRevision[],
	isLive: (revision: ControllerRevision) => boolean,
	limit: number,
	signal: AbortSignal,
): Promise<void> {
	let surplus = limit < 0 ? 0 : old.length - limit;
	for (const revision of byRevision(old)) {
		if (surplus <= 0) return;
		if (isLive(revision)) continue;
		await client.delete(CONTROLLER_REVISIONS, keyOf(revision), { signal }).catch(ignore('NotFound'));
		surplus--;
	}
}
