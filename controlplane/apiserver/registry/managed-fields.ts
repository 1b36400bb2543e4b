/** Who owns which field: metadata.managedFields, kept by api/apply for every write. */
import { objectShape } from '../../../api/apply/kind-shape.ts';
import { customResetFields, resetFieldsOf, type FieldFilter } from '../../../api/apply/reset-fields.ts';
import { serverSideApply } from '../../../api/apply/server-side-apply.ts';
import { trackUpdate as track } from '../../../api/apply/update.ts';
import type { ObjectShape } from '../../../api/apply/shape.ts';
import type { KindName } from '../../../api/kind-name.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { badRequest } from '../../../api/status.ts';
import { timeOf } from '../../../api/time.ts';
import { readConfiguration } from './apply-configuration.ts';
import type { Draft } from '../strategy/strategy.ts';
import type { Caller } from './context.ts';
import type { Kind } from './kinds.ts';
import type { AskedPatch } from './patch-request.ts';

export function trackCreate(kind: Kind, object: KubeObject, caller: Caller, now: number): void {
	setManagers(kind, object, undefined, '', caller, now);
}

export function trackUpdate(kind: Kind, object: Draft, old: Draft, subresource: string, caller: Caller, now: number): void {
	setManagers(kind, object, old, subresource, caller, now);
}

/** Tracks a write in the version it was made in, for a kind that is stored in another one: as what is stored reads there. */
export function trackConverted(
	kind: Kind,
	next: KubeObject,
	current: KubeObject | undefined,
	subresource: string,
	caller: Caller,
	now: number,
): void {
	const shown = (object: KubeObject): KubeObject => kind.conversion?.fromStored(object) ?? object;
	const visible = shown(next);
	const old = current === undefined ? undefined : shown(current);
	setManagers(kind, visible, old, subresource, caller, now);
	if (visible.metadata.managedFields === undefined) delete next.metadata.managedFields;
	else next.metadata.managedFields = visible.metadata.managedFields;
}

function setManagers(kind: Kind, object: KubeObject, old: KubeObject | undefined, subresource: string, caller: Caller, now: number): void {
	const shape = shapeOf(kind);
	if (shape === undefined) return;
	const reset = resetOf(kind, subresource);
	const entries = track(shape, { old, new: object, manager: caller.manager, subresource, now: timeOf(now), reset });
	if (entries.length === 0) delete object.metadata.managedFields;
	else object.metadata.managedFields = entries;
}

function resetOf({ custom, resource: { group, version, kind }, strategy }: Kind, subresource: string): FieldFilter {
	if (custom === undefined) return resetFieldsOf(group, kind, subresource);
	return customResetFields(strategy.status !== undefined, subresource, `${group}/${version}`);
}

function shapeOf({ custom, resource: { group, version, kind } }: Kind): ObjectShape | undefined {
	return custom === undefined ? objectShape(group, version, kind) : custom.shape;
}

/** The object that an apply patch makes of the live one. */
export function applied(
	kind: Kind,
	live: KubeObject | undefined,
	asked: AskedPatch,
	subresource: string,
	caller: Caller,
	now: number,
): KubeObject {
	const reset = resetOf(kind, subresource);
	return appliedTo({ resource: kind.resource, shape: shapeOf(kind), reset }, live, asked, subresource, caller, now);
}

/** What is applied to: an object, or what a subresource shows of it. */
export interface ApplyTarget {
	readonly resource: KindName;
	readonly shape: ObjectShape | undefined;
	readonly reset: FieldFilter;
}

export function appliedTo(
	{ resource, shape, reset }: ApplyTarget,
	live: KubeObject | undefined,
	asked: AskedPatch,
	subresource: string,
	caller: Caller,
	now: number,
): KubeObject {
	const { object: config, repeated } = readConfiguration(asked.bytes, resource);
	if (Array.isArray(config.metadata?.managedFields)) throw badRequest('metadata.managedFields must be nil');
	if (shape === undefined) throw badRequest(`${resource.kind} cannot be applied`);
	const made = serverSideApply(shape, {
		live,
		config,
		manager: caller.manager,
		subresource,
		force: asked.options.force === true,
		now: timeOf(now),
		reset,
	});
	const { fieldValidation } = asked.options;
	if (fieldValidation === 'Warn') for (const problem of repeated) caller.warn(problem);
	if (fieldValidation === 'Strict' && repeated.length > 0) {
		const problems = repeated.map((problem) => `\n  ${problem}`).join('');
		throw badRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${problems}`);
	}
	return made;
}
