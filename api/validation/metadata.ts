/** ObjectMeta: on create, and on update against the old object. Follows apimachinery api/validation and core's additions. */
import { fieldForbidden, invalidValue, required, tooLong } from '../field-error.ts';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../gen/types.ts';
import { asSent } from '../sent-empty.ts';
import { fieldManager } from './field-manager.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName, type NameRule } from './names.ts';
import { immutable, nonNegative, texts, type Errors } from './rule.ts';

const MAX_ANNOTATIONS_BYTES = 256 * 1024;
const MAX_SUBRESOURCE_BYTES = 256;
const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

export interface MetaRules {
	readonly name: NameRule;
	readonly namespaced: boolean;
	/** Core's rule that a finalizer is qualified or standard. */
	readonly finalizers: boolean;
}

/** Of most kinds that live in a namespace. */
export const NAMESPACED: MetaRules = { name: dnsSubdomain, namespaced: true, finalizers: true };
/** Of most kinds that do not. */
export const CLUSTER_SCOPED: MetaRules = { name: dnsSubdomain, namespaced: false, finalizers: true };

export function objectMeta(out: Errors, meta: ObjectMeta, rules: MetaRules, path = 'metadata'): void {
	if ((meta.generateName ?? '') !== '') texts(out, `${path}.generateName`, meta.generateName, rules.name(meta.generateName ?? '', true));
	if ((meta.name ?? '') === '') out.push(required(`${path}.name`, 'name or generateName is required'));
	else texts(out, `${path}.name`, meta.name, rules.name(meta.name ?? ''));
	if (rules.namespaced) {
		if ((meta.namespace ?? '') === '') out.push(required(`${path}.namespace`));
		else texts(out, `${path}.namespace`, meta.namespace, dnsLabel(meta.namespace ?? ''));
	} else if ((meta.namespace ?? '') !== '') out.push(fieldForbidden(`${path}.namespace`, 'not allowed on this type'));
	nonNegative(out, `${path}.generation`, meta.generation);
	labels(out, `${path}.labels`, meta.labels);
	annotations(out, `${path}.annotations`, meta.annotations);
	ownerReferences(out, `${path}.ownerReferences`, meta.ownerReferences ?? []);
	finalizers(out, `${path}.finalizers`, meta.finalizers ?? []);
	managedFields(out, `${path}.managedFields`, meta.managedFields ?? []);
	if (rules.finalizers) for (const [i, name] of (meta.finalizers ?? []).entries()) finalizerName(out, `${path}.finalizers[${i}]`, name);
}

/** As core has it: with the names of finalizers. */
export function objectMetaUpdate(out: Errors, meta: ObjectMeta, old: ObjectMeta, path = 'metadata'): void {
	genericMetaUpdate(out, meta, old, path);
	for (const [i, name] of (meta.finalizers ?? []).entries()) finalizerName(out, `${path}.finalizers[${i}]`, name);
}

export function genericMetaUpdate(out: Errors, meta: ObjectMeta, old: ObjectMeta, path = 'metadata'): void {
	if (old.deletionTimestamp !== undefined) {
		const before = new Set(old.finalizers);
		const added = [...new Set(meta.finalizers)].filter((name) => !before.has(name)).sort();
		if (added.length > 0)
			out.push(
				fieldForbidden(
					`${path}.finalizers`,
					`no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((f) => JSON.stringify(f)).join(', ')}}`,
				),
			);
	}
	if ((meta.generation ?? 0) < (old.generation ?? 0))
		out.push(invalidValue(`${path}.generation`, meta.generation ?? 0, 'must not be decremented'));
	for (const key of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const)
		immutable(out, `${path}.${key}`, meta[key], old[key]);
	labels(out, `${path}.labels`, meta.labels);
	annotations(out, `${path}.annotations`, meta.annotations);
	ownerReferences(out, `${path}.ownerReferences`, meta.ownerReferences ?? []);
	managedFields(out, `${path}.managedFields`, meta.managedFields ?? []);
}

export function labels(out: Errors, path: string, given: Readonly<Record<string, string>> | undefined): void {
	for (const [key, value] of Object.entries(given ?? {})) {
		texts(out, path, key, qualifiedName(key));
		texts(out, path, value, labelValue(value));
	}
}

export function annotations(out: Errors, path: string, given: Readonly<Record<string, string>> | undefined): void {
	let size = 0;
	for (const [key, value] of Object.entries(given ?? {})) {
		texts(out, path, key, qualifiedName(key.toLowerCase()));
		size += Buffer.byteLength(key) + Buffer.byteLength(value);
	}
	if (size > MAX_ANNOTATIONS_BYTES) out.push(tooLong(path, MAX_ANNOTATIONS_BYTES));
}

function ownerReferences(out: Errors, path: string, references: readonly OwnerReference[]): void {
	let controller: string | undefined;
	for (const reference of references) {
		const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
		const parts = apiVersion.split('/');
		if (parts.length > 2 || (parts.at(-1) ?? '') === '')
			out.push(invalidValue(`${path}.apiVersion`, apiVersion, 'version must not be empty'));
		for (const [key, value] of Object.entries({ kind, name, uid }))
			if (value === '') out.push(invalidValue(`${path}.${key}`, value, 'must not be empty'));
		if (apiVersion === 'v1' && kind === 'Event')
			out.push(invalidValue(path, reference, '/v1, Kind=Event is disallowed from being an owner'));
		if (reference.controller !== true) continue;
		const what = `${kind}/${name}`;
		if (controller !== undefined)
			out.push(
				invalidValue(
					path,
					references,
					`Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${what}`,
				),
			);
		else controller = what;
	}
}

function finalizers(out: Errors, path: string, names: readonly string[]): void {
	for (const name of names) texts(out, path, name, qualifiedName(name));
	if (names.includes('orphan') && names.includes('foregroundDeletion'))
		out.push(invalidValue(path, names, 'finalizer orphan and foregroundDeletion cannot be both set'));
}

/** Entries that are no entries are left out before; what is too long for one is told of. */
function managedFields(out: Errors, path: string, entries: readonly ManagedFieldsEntry[]): void {
	for (const [i, { manager = '', subresource = '' }] of entries.entries()) {
		fieldManager(out, `${path}[${i}].manager`, manager);
		if (Buffer.byteLength(subresource) > MAX_SUBRESOURCE_BYTES) out.push(tooLong(`${path}[${i}].subresource`, MAX_SUBRESOURCE_BYTES));
	}
}

export function finalizerName(out: Errors, path: string, name: string): void {
	if (!name.includes('/') && !STANDARD_FINALIZERS.has(name))
		out.push(invalidValue(path, name, 'name is neither a standard finalizer name nor is it fully qualified'));
}

/** What the metadata of a template inside another object may not say, in Go's order and words. */
const NOT_IN_TEMPLATES = [
	['name'],
	['generateName'],
	['namespace'],
	['selfLink'],
	['uid', 'uID'],
	['resourceVersion'],
	['generation'],
	['creationTimestamp'],
	['deletionTimestamp'],
	['deletionGracePeriodSeconds'],
	['ownerReferences'],
	['finalizers'],
	['managedFields'],
] as const;

export function templateMeta(out: Errors, at: string, meta: ObjectMeta = {}): void {
	annotations(out, `${at}.annotations`, meta.annotations);
	labels(out, `${at}.labels`, meta.labels);
	for (const [key, shown = key] of NOT_IN_TEMPLATES) {
		const value = asSent(meta, key);
		// Go tells an absent generation from 0 no more than an absent name from ''.
		if (value !== undefined && value !== '' && !(key === 'generation' && value === 0))
			out.push(fieldForbidden(`${at}.${shown}`, 'cannot be set'));
	}
}
