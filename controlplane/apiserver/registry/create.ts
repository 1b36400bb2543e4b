/** Create: system fields, admission, strategy, validation, commit. */
import { canonicalObject } from '../../../api/codec/canonical.ts';
import { dropGated } from '../../../api/defaults/gated.ts';
import { schemaOfKind } from '../../../api/schema.ts';
import { alreadyExists, badRequest, forbidden, StatusError } from '../../../api/status.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { timeOf } from '../../../api/time.ts';
import { codeOf } from '../../../base/errors.ts';
import type { Piece } from '../answer/canonical.ts';
import type { Draft } from '../strategy/strategy.ts';
import { admitMutating, admitValidating, askedResource, attributesOf, commitFor, type Caller, type Parts } from './context.ts';
import { permit, validateCreate } from './checks.ts';
import { trackCreate } from './managed-fields.ts';
import { freshNow } from './freshness.ts';
import { storeKey, type Kind } from './kinds.ts';
import { dropRepeatedOwners } from './owner-references.ts';
import { encodedFor } from './stored-object.ts';

/** Upstream names.maxGeneratedNameLength and its alphabet without vowels and look-alikes. */
const RANDOM_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const MAX_GENERATED = 63 - 5;
const NAME_ATTEMPTS = 8;
/** How often an allocation that another write was faster with is tried again. */
const ATTEMPTS = 100;

interface How {
	/** False when managedFields are set already (apply). */
	readonly track?: boolean;
	/** Asked before the validating plugins are, where the request was not to create. StatusError Forbidden. */
	readonly mayCreate?: () => Promise<void>;
}

/** Stores a new object; the object is a draft that this call may change. */
export async function create(
	parts: Parts,
	kind: Kind,
	namespace: string,
	object: KubeObject,
	caller: Caller,
	{ track = true, mayCreate }: How = {},
): Promise<Piece> {
	const draft = object as Draft;
	checkMetadata(draft);
	placeIn(kind, namespace, draft);
	const attributes = attributesOf(
		kind,
		'CREATE',
		caller,
		{ namespace, name: draft.metadata.name ?? '', subresource: '' },
		draft,
		undefined,
	);
	if (kind.custom?.isTerminating === true)
		throw forbidden(kind.resource, attributes.name, 'create not allowed while custom resource definition is terminating');
	// Whether the fields can be told depends on all that was sent, a status that is not kept as well.
	if (track && kind.custom !== undefined) trackCreate(kind, draft, caller, parts.clock.now());
	dropRepeatedOwners(draft, caller.warn, false);
	if (track && kind.custom === undefined) trackCreate(kind, draft, caller, parts.clock.now());
	await admitMutating(parts, attributes, caller.signal);
	const permitting = permit(parts, kind, attributes, caller);
	if (permitting !== undefined) await permitting;
	const { resourceVersion: sentVersion = '' } = draft.metadata;
	// Who makes it sets no status, nor do plugins, which see what was sent.
	resetStatus(kind, draft);
	dropRepeatedOwners(draft, caller.warn, true);
	placeIn(kind, namespace, draft);
	systemFields(parts, kind, draft);
	const { generateName = '' } = draft.metadata;
	const generated = (draft.metadata.name ?? '') === '' && generateName !== '';
	if (generated) draft.metadata.name = randomName(parts, generateName);
	for (let attempt = 1; ; attempt++) {
		dropGated(kind.resource, draft);
		kind.strategy.prepareForCreate?.(draft, timeOf(parts.clock.now()), caller);
		// As upstream: what cannot be allocated is told alone, before anything is validated.
		const allocation = parts.allocator.prepare(kind, draft, undefined, caller.dryRun);
		const named = { ...attributes, name: draft.metadata.name ?? '' };
		await validateCreate(parts, kind, draft, named, caller);
		await mayCreate?.();
		await admitValidating(parts, named, caller.signal);
		const isVersioned = /^0*[1-9]\d*$/.test(sentVersion);
		// The store is what refuses it, whatever is there, and a dry run does not come to it.
		if (isVersioned && !caller.dryRun) throw versionSet();
		const key = storeKey(kind, namespace, draft.metadata.name ?? '');
		// Another server may have removed it.
		if (parts.store.shared && parts.store.get(key) !== undefined) await freshNow(parts, caller.signal);
		const existing = parts.store.get(key);
		if (existing === undefined) {
			kind.strategy.readBack?.(draft);
			const value = await encodedFor(kind, draft, caller.signal);
			if (caller.dryRun) return { value, revision: /^\d+$/.test(sentVersion) ? BigInt(sentVersion) : undefined };
			try {
				const { ttlMs } = kind.strategy;
				const revision = await commitFor(caller, parts, [
					{ key, expect: 'absent', value, ...(ttlMs === undefined ? {} : { ttlMs }) },
					...allocation.writes,
				]);
				parts.parsed.wrote(key, revision, value);
				return { value, revision };
			} catch (error) {
				if (codeOf(error) !== 'Aborted') throw error;
				if (parts.store.get(key) === undefined && attempt < ATTEMPTS) {
					allocation.undo();
					continue;
				}
			}
		}
		if (!generated || attempt >= NAME_ATTEMPTS) {
			const now = parts.store.get(key);
			const dying = now !== undefined && parts.parsed.of(now).metadata.deletionTimestamp !== undefined;
			throw alreadyExists(askedResource(kind, caller), draft.metadata.name ?? '', { generated: generateName !== '', dying });
		}
		allocation.undo();
		draft.metadata.name = randomName(parts, generateName);
	}
}

/** The store itself says so upstream, which has no better code for it; what is no version is not looked at. */
function versionSet(): StatusError {
	const message = 'resourceVersion should not be set on objects to be created';
	return new StatusError({ metadata: {}, status: 'Failure', message, code: 500 });
}

/** What nobody sets on a new object. */
export function checkMetadata({ metadata }: Draft): void {
	delete metadata.deletionTimestamp;
	delete metadata.deletionGracePeriodSeconds;
}

/** Namespace of the URL and of the object must agree; a cluster-scoped object has none. */
export function placeIn(kind: Kind, namespace: string, { metadata }: KubeObject): void {
	if (!kind.resource.namespaced) {
		delete metadata.namespace;
		return;
	}
	if ((metadata.namespace ?? '') === '') metadata.namespace = namespace;
	else if (metadata.namespace !== namespace)
		throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

const empties = new WeakMap<Kind, Readonly<Record<string, unknown>>>();

/** A status that says nothing, with what is always written of it. */
function emptyOf(kind: Kind, field: string): unknown {
	let whole = empties.get(kind);
	if (whole === undefined) {
		const type = schemaOfKind(kind.resource.group, kind.resource.version, kind.resource.kind);
		whole = type === undefined ? {} : canonicalObject(type, {}, { unknown: () => {} });
		empties.set(kind, whole);
	}
	return structuredClone(whole[field] ?? {});
}

function resetStatus(kind: Kind, draft: Draft): void {
	const { status = [], createsWithStatus = false } = kind.strategy;
	for (const field of createsWithStatus ? [] : status) if (draft[field] !== undefined) draft[field] = emptyOf(kind, field);
	if (kind.custom !== undefined) for (const field of status) delete draft[field];
}

function systemFields(parts: Parts, kind: Kind, { metadata }: Draft): void {
	delete metadata.resourceVersion;
	delete metadata.deletionTimestamp;
	delete metadata.deletionGracePeriodSeconds;
	delete metadata.selfLink;
	metadata.uid = parts.clock.uuid();
	metadata.creationTimestamp = timeOf(parts.clock.now());
	if (kind.strategy.generation === true || kind.strategy.generation === 'created') metadata.generation = 1;
}

function randomName(parts: Parts, base: string): string {
	let suffix = '';
	for (let i = 0; i < 5; i++) suffix += RANDOM_LETTERS.charAt(Math.floor(parts.clock.random() * RANDOM_LETTERS.length));
	return base.slice(0, MAX_GENERATED) + suffix;
}
