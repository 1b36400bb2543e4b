/** Delete: preconditions, admission, grace, finalizers; what nothing holds goes at once. */
import { invalidValue, notSupported } from '../../../api/field-error.ts';
import { conflict, notFound, StatusError } from '../../../api/status.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { timeOf } from '../../../api/time.ts';
import { codeOf } from '../../../base/errors.ts';
import type { Piece } from '../answer/canonical.ts';
import { freeze } from '../../../base/freeze.ts';
import { dryRunCauses, optionsInvalid, type Cause } from '../request/options.ts';
import { checkPathName } from '../request/path-name.ts';
import type { Draft } from '../strategy/strategy.ts';
import { admitMutating, admitValidating, askedResource, attributesOf, commitFor, type Caller, type Parts } from './context.ts';
import { isFinished, isNamespace, namespaceHeld } from './finished.ts';
import { judgedFresh } from './freshness.ts';
import { storeKey, type Kind } from './kinds.ts';
import { encodedFor, liveObject } from './stored-object.ts';

export interface DeleteRequest {
	readonly gracePeriodSeconds?: number;
	readonly propagationPolicy?: string;
	readonly orphanDependents?: boolean;
	readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
	readonly dryRun?: readonly string[];
}

/** With the object as it last was. */
interface Gone {
	readonly type: 'gone';
	readonly last: KubeObject;
	readonly piece: Piece;
}

export type Deleted =
	| Gone
	/** Waits for its grace period or its finalizers. */
	| { readonly type: 'terminating'; readonly piece: Piece };

const POLICIES = ['Foreground', 'Background', 'Orphan'];
const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

export function checkDeleteRequest({ propagationPolicy, orphanDependents, dryRun = [] }: DeleteRequest): void {
	const field = 'propagationPolicy';
	const causes: Cause[] = [];
	if (propagationPolicy !== undefined) {
		if (orphanDependents !== undefined)
			causes.push(invalidValue(field, propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'));
		if (!POLICIES.includes(propagationPolicy)) causes.push(notSupported(field, propagationPolicy, [...POLICIES, 'nil']));
	}
	causes.push(...dryRunCauses(dryRun));
	if (causes.length > 0) throw optionsInvalid('DeleteOptions', causes);
}

/** @param admit false: the caller has done its own checks */
export async function remove(
	parts: Parts,
	kind: Kind,
	namespace: string,
	name: string,
	request: DeleteRequest,
	caller: Caller,
	admit = true,
): Promise<Deleted> {
	checkPathName(name);
	const key = storeKey(kind, namespace, name);
	return judgedFresh(
		parts,
		key,
		caller.signal,
		() => removeAt(key, parts, kind, namespace, name, request, caller, admit),
		({ piece }) => piece.revision,
	);
}

async function removeAt(
	key: string,
	parts: Parts,
	kind: Kind,
	namespace: string,
	name: string,
	request: DeleteRequest,
	caller: Caller,
	admit: boolean,
): Promise<Deleted> {
	let { preconditions = {} } = request;
	/** What is answered once the mark is written, whoever removes the object then. */
	let marked: Gone | undefined;
	for (;;) {
		const entry = parts.store.get(key);
		if (entry === undefined && marked !== undefined) return marked;
		if (entry === undefined) throw notFound(askedResource(kind, caller), name);
		const old = await liveObject<Draft>(parts.parsed, kind, entry, caller.signal);
		// The name may have been taken anew.
		if (marked !== undefined && old.metadata.uid !== marked.last.metadata.uid) return marked;
		checkPreconditions(kind, name, old, { ...request, preconditions });
		const grace = kind.strategy.graceSeconds?.(old, request.gracePeriodSeconds);
		if (grace !== undefined && isPending(old, request.gracePeriodSeconds)) return { type: 'terminating', piece: entry };
		if (admit) {
			// They see how long it really has.
			const isFirst = old.metadata.deletionTimestamp === undefined;
			const options = grace === undefined || !isFirst ? caller.options : { ...caller.options, gracePeriodSeconds: grace };
			const target = { namespace, name, subresource: '' };
			const attributes = attributesOf(kind, 'DELETE', { ...caller, options }, target, undefined, old);
			await admitMutating(parts, attributes, caller.signal);
			await admitValidating(parts, attributes, caller.signal);
		}
		const next = terminating(kind, old, request, parts.clock.now());
		try {
			if (next === undefined) {
				const writes = [{ key, expect: entry.revision }, ...parts.allocator.release(kind, old)];
				const revision = caller.dryRun ? entry.revision : await commitFor(caller, parts, writes);
				return { type: 'gone', last: old, piece: { value: entry.value, revision: caller.dryRun ? entry.revision : revision } };
			}
			if (next === old) return { type: 'terminating', piece: entry };
			const value = await encodedFor(kind, next, caller.signal);
			const goes = isFinished(kind, next) && !(isNamespace(kind) && old.metadata.deletionTimestamp === undefined);
			if (caller.dryRun)
				return goes
					? { type: 'gone', last: next, piece: { value, revision: entry.revision } }
					: { type: 'terminating', piece: { value, revision: entry.revision } };
			const markedAt = await commitFor(caller, parts, [{ key, expect: entry.revision, value }]);
			if (!goes) return { type: 'terminating', piece: { value, revision: markedAt } };
			// As upstream, the mark is written first: who watches sees it in the last state, too. The revision that was asked for is now the mark's.
			marked = { type: 'gone', last: freeze(next), piece: { value, revision: markedAt } };
			if (preconditions.resourceVersion !== undefined) preconditions = { ...preconditions, resourceVersion: String(markedAt) };
			const revision = await commitFor(caller, parts, [{ key, expect: markedAt }, ...parts.allocator.release(kind, old)]);
			return { ...marked, piece: { value, revision } };
		} catch (error) {
			if (codeOf(error) !== 'Aborted' || error instanceof StatusError) throw error;
		}
	}
}

/** It goes anyway, and no sooner: nobody is asked. */
function isPending({ metadata }: Draft, asked: number | undefined): boolean {
	const { deletionTimestamp, deletionGracePeriodSeconds: left = 0 } = metadata;
	return deletionTimestamp !== undefined && left > 0 && (asked === undefined || asked >= left);
}

/** The object on its way out; the same one when nothing changes; undefined when it may go without a trace. A namespace is marked first in any case. */
export function terminating(kind: Kind, old: Draft, request: DeleteRequest, now: number): Draft | undefined {
	const grace = kind.strategy.graceSeconds?.(old, request.gracePeriodSeconds);
	const isFirst = old.metadata.deletionTimestamp === undefined;
	const { deletionFinalizers: own } = kind.strategy;
	const current = old.metadata.finalizers ?? [];
	// Upstream's own code for the first DELETE has nothing of dependents.
	const finalizers =
		isFirst && own !== undefined ? [...current, ...own.filter((name) => !current.includes(name))] : wantedFinalizers(kind, old, request);
	const held = finalizers.length > 0 || namespaceHeld(kind, old);
	const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = old.metadata;
	if (deletionTimestamp === undefined) {
		if (grace === undefined && !held && !isNamespace(kind)) return undefined;
		return withMark(kind, old, finalizers, now, grace ?? 0, true);
	}
	const sooner = grace !== undefined && grace < deletionGracePeriodSeconds;
	if (sooner) return withMark(kind, old, finalizers, now, grace, false);
	if (!held && grace === undefined) return undefined;
	if (grace !== undefined && deletionGracePeriodSeconds === 0 && !held) return undefined;
	const same =
		finalizers.length === (old.metadata.finalizers ?? []).length && finalizers.every((f) => old.metadata.finalizers?.includes(f));
	// One that its own code has marked has none until it is deleted again.
	const hasGrace = old.metadata.deletionGracePeriodSeconds !== undefined || finalizers.length === 0;
	return same && hasGrace ? old : withMark(kind, old, finalizers, now, deletionGracePeriodSeconds, false);
}

function withMark(kind: Kind, old: Draft, finalizers: readonly string[], now: number, grace: number, first: boolean): Draft {
	const draft = structuredClone(old);
	const { metadata } = draft;
	delete metadata.resourceVersion;
	if (first || grace < (metadata.deletionGracePeriodSeconds ?? 0)) {
		// A shorter grace counts from the first request.
		const askedAt = first ? now : Date.parse(metadata.deletionTimestamp ?? '') - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
		metadata.deletionTimestamp = timeOf(askedAt + grace * 1000);
		metadata.deletionGracePeriodSeconds = grace;
	}
	if (finalizers.length > 0) metadata.finalizers = [...finalizers];
	else delete metadata.finalizers;
	if (!first) metadata.deletionGracePeriodSeconds ??= grace;
	else if (kind.strategy.marksItself === true) delete metadata.deletionGracePeriodSeconds;
	else if (metadata.generation !== undefined) metadata.generation++;
	if (first) kind.strategy.markTerminating?.(draft, timeOf(now));
	if (isNamespace(kind)) draft['status'] = { ...(draft['status'] as object | undefined), phase: 'Terminating' };
	return draft;
}

/** Upstream deletionFinalizersForGarbageCollection. */
function wantedFinalizers(kind: Kind, old: Draft, { propagationPolicy, orphanDependents }: DeleteRequest): readonly string[] {
	const current = old.metadata.finalizers ?? [];
	const rest = current.filter((f) => f !== ORPHAN && f !== FOREGROUND);
	if (kind.strategy.ownsNothing === true) return rest;
	if (propagationPolicy === 'Orphan' || orphanDependents === true) return [...rest, ORPHAN];
	if (propagationPolicy === 'Foreground') return [...rest, FOREGROUND];
	if (propagationPolicy === 'Background' || orphanDependents === false) return rest;
	if (kind.strategy.orphansByDefault === true && current.length === rest.length) return [...rest, ORPHAN];
	return current;
}

function checkPreconditions(kind: Kind, name: string, { metadata }: Draft, { preconditions }: DeleteRequest): void {
	if (kind.strategy.marksItself === true) {
		for (const [field, what] of [
			['uid', 'UID'],
			['resourceVersion', 'ResourceVersion'],
		] as const)
			if (preconditions?.[field] !== undefined && preconditions[field] !== metadata[field]) {
				const why = `${what} in precondition: ${preconditions[field]}, ${what} in object meta: ${metadata[field]}`;
				throw conflict(kind.resource, name, `Precondition failed: ${why}`);
			}
		return;
	}
	const named = { group: kind.resource.group, plural: kind.resource.kind };
	if (preconditions?.uid !== undefined && preconditions.uid !== metadata.uid)
		throw conflict(
			named,
			name,
			`the UID in the precondition (${preconditions.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
		);
	if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== metadata.resourceVersion)
		throw conflict(
			named,
			name,
			`the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
		);
}
