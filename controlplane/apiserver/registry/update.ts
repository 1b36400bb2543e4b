/** Update and everything that is one underneath: read, change, admission, strategy, validation, commit with the revision read, retry. */
import { sameJson } from '../../../api/same-json.ts';
import { sameOfKind } from '../../../api/same-typed.ts';
import { holdsSentEmpty } from '../../../api/sent-empty.ts';
import { dropGated } from '../../../api/defaults/gated.ts';
import { uint64Error } from '../../../api/go-integer.ts';
import { badRequest, conflict, invalid, notFound, StatusError, unknownFailure, type ResourceRef } from '../../../api/status.ts';
import { checkPathName } from '../request/path-name.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { timeOf } from '../../../api/time.ts';
import { codeOf } from '../../../base/errors.ts';
import type { Encoded, Entry } from '../../storage/store.ts';
import type { Piece } from '../answer/canonical.ts';
import type { Draft } from '../strategy/strategy.ts';
import { permit, validateUpdate } from './checks.ts';
import { admitMutating, admitValidating, askedResource, attributesOf, commitFor, type Caller, type Parts } from './context.ts';
import { create, placeIn } from './create.ts';
import { checkMayCreate } from './create-rights.ts';
import { isFinished } from './finished.ts';
import { judgedFresh } from './freshness.ts';
import { storeKey, type Kind } from './kinds.ts';
import { dropRepeatedOwners } from './owner-references.ts';
import { trackUpdate } from './managed-fields.ts';
import { encodedFor, liveObject } from './stored-object.ts';
import { keptBySubresource } from './subresource-fields.ts';
import { outerFolder } from '../stored/key-layout.ts';

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';
/** How often what was given from a shared pool may be in the way. */
const ALLOCATIONS = 100;

export interface UpdateRequest {
	readonly namespace: string;
	readonly name: string;
	/** '', 'status', 'ephemeralcontainers', 'resize', 'finalize', … */
	readonly subresource: string;
	/** The wanted object from the stored one (frozen; undefined: absent). Called again after a conflict that may be retried. */
	readonly transform: (current: KubeObject | undefined) => Promise<KubeObject> | KubeObject;
	/** Absent objects are created when the transform gives one. */
	readonly createAbsent: boolean;
	/** The object is a patch's: its uid is no precondition, but may not change. */
	readonly patched?: boolean;
	/** managedFields are set by the transform (apply), or not at all. */
	readonly tracked?: boolean;
	/** Admission has seen it, in a form of its own. */
	readonly admitted?: boolean;
	/** Without a version it is written to whatever is there, also where the kind wants one. */
	readonly unversioned?: boolean;
}

export interface Updated extends Piece {
	readonly created: boolean;
}

export async function update(parts: Parts, kind: Kind, request: UpdateRequest, caller: Caller): Promise<Updated> {
	checkPathName(request.name);
	const key = storeKey(kind, request.namespace, request.name);
	return judgedFresh(
		parts,
		key,
		caller.signal,
		() => updateAt(key, parts, kind, request, caller),
		({ revision }) => revision,
	);
}

/** As upstream's GuaranteedUpdate, until the request's time is over: whoever was faster has got somewhere, so that all of them do. */
async function updateAt(key: string, parts: Parts, kind: Kind, request: UpdateRequest, caller: Caller): Promise<Updated> {
	const { name } = request;
	const asked = askedResource(kind, caller);
	let allocations = 0;
	for (;;) {
		caller.signal.throwIfAborted();
		const entry = parts.store.get(key);
		if (entry === undefined) {
			if (!request.createAbsent) throw notFound(asked, name);
			try {
				return await createAt(parts, kind, request, caller);
			} catch (error) {
				// Another was faster: its object is changed. One that goes by another name has not come here.
				if (!isTaken(error) || parts.store.get(key) === undefined) throw error;
				continue;
			}
		}
		const old = await liveObject<KubeObject>(parts.parsed, kind, entry, caller.signal);
		const wanted = await request.transform(old);
		checkIdentity(kind, name, wanted, old, asked, request.patched === true);
		const unconditional = (wanted.metadata.resourceVersion ?? '') === '';
		if (!unconditional || request.unversioned !== true) checkVersion(kind, name, wanted, entry, asked);
		try {
			return { ...(await replace(parts, kind, request, wanted as Draft, old as Draft, entry, caller)), created: false };
		} catch (error) {
			if (codeOf(error) !== 'Aborted' || error instanceof StatusError) throw error;
			const now = parts.store.get(key);
			// Only what was given from a shared pool was in the way: the object itself is as it was.
			if (now?.revision === entry.revision && ++allocations < ALLOCATIONS) continue;
			// A patch is made again from what is there now; one that names a version will not fit it.
			if (!unconditional && request.patched !== true && now !== undefined) throw conflict(asked, name, MODIFIED);
			if (allocations >= ALLOCATIONS) throw conflict(asked, name, MODIFIED);
		}
	}
}

async function createAt(parts: Parts, kind: Kind, request: UpdateRequest, caller: Caller): Promise<Updated> {
	const { namespace, name } = request;
	const object = await request.transform(undefined);
	const { uid = '' } = object.metadata;
	if (request.patched === true) checkName(name, object);
	if (request.patched === true && uid !== '')
		throw conflict(kind.resource, name, `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`);
	if (uid !== '') throw anotherUid(kind, name, uid, { metadata: { namespace } }, askedResource(kind, caller));
	delete object.metadata.resourceVersion;
	const mayCreate = (): Promise<void> => checkMayCreate(parts, kind, request, caller);
	return { ...(await create(parts, kind, namespace, object, caller, { track: request.tracked !== true, mayCreate })), created: true };
}

function isTaken(error: unknown): boolean {
	return error instanceof StatusError && error.reason === 'AlreadyExists';
}

function checkVersion(kind: Kind, name: string, { metadata }: KubeObject, entry: Entry, asked: ResourceRef): void {
	const version = metadata.resourceVersion ?? '';
	if (version === '' || version === '0') {
		if (kind.strategy.allowUnconditionalUpdate === false)
			throw invalid({ group: kind.resource.group, kind: kind.resource.plural }, name, [
				{ reason: 'FieldValueInvalid', message: 'Invalid value: 0: must be specified for an update', field: 'metadata.resourceVersion' },
			]);
		return;
	}
	const error = uint64Error(version);
	if (error !== undefined) throw unknownFailure(error);
	if (version !== String(entry.revision)) throw conflict(asked, name, MODIFIED);
}

async function replace(
	parts: Parts,
	kind: Kind,
	request: UpdateRequest,
	wanted: Draft,
	old: Draft,
	entry: Entry,
	caller: Caller,
): Promise<Piece> {
	const { namespace, name, subresource } = request;
	placeIn(kind, namespace, wanted);
	// Owners are of what was asked for; what the subresource puts back of it, reset fields name.
	if (request.tracked !== true) trackUpdate(kind, wanted, old, subresource, caller, parts.clock.now());
	// As upstream, plugins see what is asked for, its version too; what a subresource may not change is put back after them, their changes of it too.
	const asked = attributesOf(kind, 'UPDATE', caller, { namespace, name, subresource }, wanted, old);
	if (request.admitted !== true) await admitMutating(parts, asked, caller.signal);
	const permitting = permit(parts, kind, asked, caller);
	if (permitting !== undefined) await permitting;
	const { resourceVersion = '' } = wanted.metadata;
	const draft = keptBySubresource(kind, subresource, wanted, old);
	keepSystemFields(draft, old);
	const attributes = { ...asked, object: draft };
	dropRepeatedOwners(draft, caller.warn, true);
	if (kind.strategy.countsDropped === true) countGeneration(kind, draft, old, subresource);
	dropGated(kind.resource, draft, old);
	if (subresource === '') kind.strategy.prepareForUpdate?.(draft, old, timeOf(parts.clock.now()));
	if (subresource === 'status') kind.strategy.prepareForStatusUpdate?.(draft, old, timeOf(parts.clock.now()));
	if (subresource === 'approval') kind.strategy.prepareForApproval?.(draft, old, timeOf(parts.clock.now()));
	if (kind.strategy.countsDropped !== true) countGeneration(kind, draft, old, subresource);
	const allocation = parts.allocator.prepare(kind, draft, old, caller.dryRun);
	await validateUpdate(parts, kind, draft, old, attributes, caller);
	if (request.admitted !== true) {
		// Now it is the version that is replaced, also where none was named.
		draft.metadata.resourceVersion = resourceVersion === '' ? String(entry.revision) : resourceVersion;
		await admitValidating(parts, attributes, caller.signal);
		delete draft.metadata.resourceVersion;
	}
	keepManagedFieldTimes(draft, old);
	kind.strategy.readBack?.(draft);
	const value = await encodedFor(kind, draft, caller.signal);
	if (!(parts.store.sealing?.isStale(entry) ?? entry.value.stale) && sameBytes(value, entry.value))
		return { value: entry.value, revision: entry.revision };
	const done = draft.metadata.deletionTimestamp !== undefined && isFinished(kind, draft);
	if (caller.dryRun) return { value, revision: entry.revision };
	const key = entry.key;
	if (done) {
		await commitFor(caller, parts, [{ key, expect: entry.revision }, ...parts.allocator.release(kind, old)]);
		// As upstream, the object that went is answered in the version that it was changed from.
		return { value, revision: entry.revision };
	}
	const { ttlMs } = kind.strategy;
	const revision = await commitFor(caller, parts, [
		{ key, expect: entry.revision, value, ...(ttlMs === undefined ? {} : { ttlMs }) },
		...allocation.writes,
	]);
	parts.parsed.wrote(key, revision, value);
	return { value, revision };
}

/** The object must be the one that the URL names. StatusError BadRequest. */
export function checkName(name: string, { metadata }: { readonly metadata?: KubeObject['metadata'] }): void {
	const given = metadata?.name ?? '';
	if (given === '') throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
	if (given !== name) throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
}

function checkIdentity(kind: Kind, name: string, wanted: KubeObject, old: KubeObject, asked: ResourceRef, patched: boolean): void {
	checkName(name, wanted);
	const { uid = '' } = wanted.metadata;
	if (!patched && uid !== '' && uid !== old.metadata.uid) throw anotherUid(kind, name, uid, old, asked);
}

/** In the words of upstream's store. */
export function anotherUid(kind: Kind, name: string, uid: string, old: KubeObject, asked: ResourceRef = kind.resource): StatusError {
	return conflict(
		asked,
		name,
		`StorageError: invalid object, Code: 4, Key: /registry/${kind.custom === undefined ? outerFolder(kind) : kind.prefix.slice(1)}${kind.resource.namespaced ? `${old.metadata.namespace}/` : ''}${name}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid ?? ''}`,
	);
}

/** What a client cannot change by an update. */
function keepSystemFields({ metadata }: Draft, { metadata: old }: Draft): void {
	delete metadata.resourceVersion;
	delete metadata.selfLink;
	if ((metadata.uid ?? '') === '') metadata.uid = old.uid;
	metadata.creationTimestamp = old.creationTimestamp;
	for (const field of ['generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
		// These may not be changed, which validation says.
		if (field !== 'generation' && metadata[field] !== undefined) continue;
		if (old[field] === undefined) delete metadata[field];
		else Object.assign(metadata, { [field]: old[field] });
	}
}

function countGeneration(kind: Kind, draft: Draft, old: Draft, subresource: string): void {
	if (kind.strategy.generation !== true && kind.strategy.generation !== 'updates') return;
	const keepsStatus = kind.custom !== undefined && kind.strategy.status === undefined;
	const { metadata: _m, status: _s, ...after } = keepsStatus ? { ...draft, '.status': draft['status'] } : draft;
	const { metadata: _om, status: _os, ...before } = keepsStatus ? { ...old, '.status': old['status'] } : old;
	const { generationAlso } = kind.strategy;
	const isAlso = subresource !== 'status' && generationAlso !== undefined && !sameJson(generationAlso(draft), generationAlso(old));
	// Custom resources are compared as the JSON that they are.
	const isSame = kind.custom === undefined ? sameOfKind(kind.resource, after, before) : sameJson(after, before);
	const isEmptied = kind.strategy.countsEmpty === true && holdsSentEmpty(after);
	if (isAlso || !isSame || isEmptied) draft.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** A write that changes nothing but the times in managedFields changes nothing. */
function keepManagedFieldTimes(draft: Draft, old: Draft): void {
	const [after, before] = [draft.metadata.managedFields, old.metadata.managedFields];
	if (after === undefined || before === undefined || after.length !== before.length) return;
	const untimed = (list: typeof after): unknown => list.map(({ time: _t, ...rest }) => rest);
	if (!sameJson(untimed(after), untimed(before))) return;
	const { metadata: m, ...rest } = draft;
	const { metadata: om, ...oldRest } = old;
	const { managedFields: _a, ...metadata } = m;
	const { managedFields: _b, resourceVersion: _r, ...oldMetadata } = om;
	if (sameJson({ ...rest, metadata }, { ...oldRest, metadata: oldMetadata })) draft.metadata.managedFields = before;
}

function sameBytes(a: Encoded, b: Encoded): boolean {
	return a.bytes.length === b.bytes.length && Buffer.compare(a.bytes, b.bytes) === 0;
}
