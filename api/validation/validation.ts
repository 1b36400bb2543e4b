/**
 * Validation of objects, by kind: the rules of a kind, then those of all kinds, with upstream's messages in upstream's order.
 * Objects are decoded and defaulted. A kind without rules of its own gets those for metadata.
 */
import type { FieldError } from '../field-error.ts';
import { nullFree } from '../null-free.ts';
import type { KubeObject } from '../resource.ts';
import { rulesOf } from './kind-rules.ts';
import { genericMetaUpdate, objectMeta, objectMetaUpdate } from './metadata.ts';
import { pathSegment } from './names.ts';
import type { Errors } from './rule.ts';

/** Fields of raw JSON, by kind. */
const RAW: Readonly<Record<string, ReadonlySet<string>>> = {
	'apps/ControllerRevision': new Set(['data']),
	'resource.k8s.io/DeviceClass': new Set(['parameters']),
	'resource.k8s.io/ResourceClaim': new Set(['data', 'parameters']),
	'resource.k8s.io/ResourceClaimTemplate': new Set(['parameters']),
};

/** On create the kind's rules come first, and those of all kinds only when it has no complaint. */
export function validateCreate(group: string, version: string, kind: string, given: KubeObject, namespaced: boolean): FieldError[] {
	const object = nullFree(given, RAW[`${group}/${kind}`]);
	const out: Errors = [];
	rulesOf(group, version, kind, namespaced).create(out, object);
	if (out.length === 0) objectMeta(out, object.metadata, { name: pathSegment, namespaced, finalizers: false });
	return out;
}

/**
 * On update the rules of all kinds come first; both are reported, so a complaint about metadata often comes twice. The status of a kind
 * without rules for it is checked for its metadata.
 */
export function validateUpdate(
	group: string,
	version: string,
	kind: string,
	given: KubeObject,
	before: KubeObject,
	namespaced: boolean,
	subresource = '',
): FieldError[] {
	const raw = RAW[`${group}/${kind}`];
	const [object, old] = [nullFree(given, raw), nullFree(before, raw)];
	const out = commonUpdate(object, old, namespaced);
	const rules = rulesOf(group, version, kind, namespaced);
	const own = rules.subresources?.[subresource];
	if (own !== undefined) own(out, object, old);
	else if (subresource === 'status') objectMetaUpdate(out, object.metadata, old.metadata);
	else rules.update(out, object, old);
	return out;
}

/** What is checked on updates of any kind, custom resources among them, before its own rules. */
export function commonUpdate(object: KubeObject, old: KubeObject, namespaced: boolean): Errors {
	const out: Errors = [];
	objectMeta(out, object.metadata, { name: pathSegment, namespaced, finalizers: false });
	genericMetaUpdate(out, object.metadata, old.metadata);
	return out;
}
