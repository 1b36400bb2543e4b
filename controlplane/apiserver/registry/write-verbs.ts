/** The verbs that write: create, update, patch, delete, deletecollection. */
import { ANSWERS_DELETED } from '../../../api/answers-deleted.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { timeOf } from '../../../api/time.ts';
import { copyAsSent } from '../../../api/sent-empty.ts';
import { wanted } from '../answer/accept.ts';
import { answerList, answerPiece } from '../answer/objects.ts';
import { answerObject } from '../answer/formats.ts';
import type { ApiRequest, ApiResponse } from '../contracts.ts';
import { bodyType, CUSTOM_TYPES, readObject } from '../request/body.ts';
import { writeOptions, listOptions, type FieldValidation } from '../request/options.ts';
import type { Parts } from './context.ts';
import { checkMetadata, create as createObject, placeIn } from './create.ts';
import { remove, type Deleted, type DeleteRequest } from './delete.ts';
import { readDeleteRequest } from './delete-request.ts';
import type { Kind } from './kinds.ts';
import { dropRepeatedOwners } from './owner-references.ts';
import { list } from './list.ts';
import type { Draft } from '../strategy/strategy.ts';
import { trackConverted } from './managed-fields.ts';
import { callerOf } from './caller.ts';
import { patch } from './patch.ts';
import type { Target, Verb } from './verb.ts';
import { selection } from './selection.ts';
import { readyToList, readyToSelect } from './ready-to-list.ts';
import { storedObject } from './stored-object.ts';
import { checkName, update as updateObject } from './update.ts';

/** The object in the version that is stored. */
function stored(kind: Kind, object: KubeObject): { readonly kind: Kind; readonly object: KubeObject } {
	return kind.conversion === undefined ? { kind, object } : { kind: kind.conversion.stored, object: kind.conversion.toStored(object) };
}

/** The body as the kind has it. */
async function readKind(
	{ clock }: Parts,
	request: ApiRequest,
	{ custom, resource, strategy }: Kind,
	strictness: FieldValidation,
): Promise<KubeObject> {
	const made = (object: KubeObject): void => strategy.decoded?.(object as Draft, timeOf(clock.now()));
	if (custom === undefined) return readObject(request, resource, strictness, made);
	const type = bodyType(request, CUSTOM_TYPES);
	const object = custom.decodeBody(await request.body(), type, { strictness, warn: request.warn });
	made(object);
	request.audit?.object(object);
	return object;
}

const create: Verb = async (parts, request, { kind, namespace, subresource }) => {
	const options = writeOptions('CreateOptions', request.query);
	const decoded = await readKind(parts, request, kind, options.fieldValidation);
	const caller = callerOf(request, options, kind);
	const { kind: storedKind, object } = stored(kind, decoded);
	if (kind.conversion !== undefined) {
		checkMetadata(object as Draft);
		trackConverted(kind, object, undefined, subresource, caller, parts.clock.now());
	}
	const piece = await createObject(parts, storedKind, namespace, object, caller, { track: kind.conversion === undefined });
	return answerPiece(request, kind, piece, 201, parts.clock.now());
};

const update: Verb = async (parts, request, { kind, namespace, name, subresource }) => {
	const options = writeOptions('UpdateOptions', request.query);
	const decoded = await readKind(parts, request, kind, options.fieldValidation);
	// Before anyone looks whether it is there.
	if (decoded.metadata !== undefined) placeIn(kind, namespace, decoded);
	checkName(name, decoded);
	const { kind: storedKind, object } = stored(kind, decoded);
	const { strategy } = storedKind;
	const createAbsent = subresource === '' && strategy.allowCreateOnUpdate === true;
	const caller = callerOf(request, options, kind);
	const transform = (current: KubeObject | undefined): KubeObject => {
		const next = kind.custom === undefined ? copyAsSent(object) : structuredClone(object);
		dropRepeatedOwners(next as Draft, caller.warn, false);
		if (kind.conversion !== undefined) trackConverted(kind, next, current, subresource, caller, parts.clock.now());
		return next;
	};
	const tracked = kind.conversion !== undefined;
	const done = await updateObject(parts, storedKind, { namespace, name, subresource, transform, createAbsent, tracked }, caller);
	return answerPiece(request, kind, done, done.created ? 201 : 200, parts.clock.now());
};

const JOB_ORPHANS =
	'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

const deleteOne: Verb = async (parts, request, { kind, namespace, name }) => {
	const { deletion, caller } = await readDeleteRequest(request, kind);
	warnOfOrphans(request, kind, deletion);
	const storedKind = kind.conversion?.stored ?? kind;
	const deleted = await remove(parts, storedKind, namespace, name, deletion, caller);
	// The dependents go as well, which takes its time.
	const accepted = deleted.type === 'terminating' && deletion.orphanDependents === false;
	return answerDeleted(parts, request, kind, deleted, accepted ? 202 : 200);
};

function warnOfOrphans(request: ApiRequest, { resource, strategy }: Kind, { propagationPolicy, orphanDependents }: DeleteRequest): void {
	if (strategy.orphansByDefault !== true || resource.kind !== 'Job') return;
	if (propagationPolicy === undefined && orphanDependents === undefined) request.warn(JOB_ORPHANS);
}

function answerDeleted(parts: Parts, request: ApiRequest, kind: Kind, deleted: Deleted, status: number): ApiResponse {
	const { strategy, resource } = kind;
	const answersObject = strategy.answersDeleted === true || ANSWERS_DELETED.has(`${resource.group}/${resource.plural}`);
	if (deleted.type === 'terminating' || answersObject) return answerPiece(request, kind, deleted.piece, status, parts.clock.now());
	const { name, uid } = deleted.last.metadata;
	const details = { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural, uid };
	// Whatever view of the object is asked for, in the form that it would have come in.
	const want = wanted(request, { custom: kind.custom !== undefined });
	return answerObject(request, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }, {}, want);
}

/** As many as make one commit worth its while, and no long turn. */
const REMOVED_AT_ONCE = 32;

const deleteCollection: Verb = async (parts, request, target: Target) => {
	const { kind, namespace } = target;
	const options = listOptions(request.query, false);
	const selected = selection(kind, options.labelSelector, options.fieldSelector);
	if (!selected.all) await readyToSelect(parts, kind, namespace, request.signal, true);
	const { deletion, caller } = await readDeleteRequest(request, kind);
	// Upstream reads it in pages, and a page of a version is of exactly that one.
	const { resourceVersion, resourceVersionMatch } = options;
	const exactly = resourceVersionMatch === '' && resourceVersion !== '' && resourceVersion !== '0';
	const asked = exactly ? { ...options, resourceVersionMatch: 'Exact' as const } : options;
	const found = await list(parts, kind, namespace, selected, asked, request.signal);
	parts.measures?.listed(kind, found);
	await readyToList(parts.turns, kind, found.entries, request.signal, true);
	// Once for each, of which the client sees one.
	if (found.entries.length > 0) warnOfOrphans(request, kind, deletion);
	const storedKind = kind.conversion?.stored ?? kind;
	const left = found.entries.values();
	const failures: unknown[] = [];
	const removeLeft = async (): Promise<void> => {
		for (const entry of left) {
			const { metadata } = storedObject<KubeObject>(parts.parsed, kind, entry);
			await remove(parts, storedKind, metadata.namespace ?? '', metadata.name ?? '', deletion, caller).catch((error: unknown) => {
				if (!isGone(error)) failures.push(error);
			});
			// As upstream, what comes after one that may not go stays. What is under way is waited for: nothing goes on behind the answer.
			if (failures.length > 0) return;
		}
	};
	await Promise.all(Array.from({ length: REMOVED_AT_ONCE }, removeLeft));
	if (failures.length > 0) throw failures[0];
	return answerList(request, kind, found, parts.clock.now(), parts.turns);
};

function isGone(error: unknown): boolean {
	return (error as { status?: { reason?: string } }).status?.reason === 'NotFound';
}

export const writeVerbs: Readonly<Record<string, Verb>> = {
	create,
	update,
	patch,
	delete: deleteOne,
	deletecollection: deleteCollection,
};
