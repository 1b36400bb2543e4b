/**
 * Rules for CustomResourceDefinitions (apiextensions validation.go). What all versions have alike is spoken of as if it stood at the top of
 * the spec, as upstream's internal type has it.
 */
import { invalidValue, required, type FieldError } from '../../field-error.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionNames, CustomResourceDefinitionVersion } from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import { schemaHas } from '../../structural/schema-has.ts';
import type { Schema } from '../../structural/schema.ts';
import { apiApproval } from './api-approval.ts';
import { conversion } from './conversion.ts';
import { NEW, STRICT, type DefinitionOptions, type SchemaOptions } from './options.ts';
import { definitionOptions, isEstablished } from './options-before.ts';
import { columns, deprecation, selectableFields, subresources } from './version.ts';
import { customResourceSchema } from './schema.ts';
import { sharedParts, type Part } from './shared-parts.ts';
import { objectMeta, genericMetaUpdate } from '../metadata.ts';
import { dns1035Label, dnsSubdomain, type NameRule } from '../names.ts';
import { immutable, oneOf, type Errors } from '../rule.ts';

type Spec = NonNullable<CustomResourceDefinition['spec']>;

export function customResourceDefinition(out: Errors, object: CustomResourceDefinition): void {
	const { plural = '' } = object.spec.names ?? {};
	const name: NameRule = (given, prefix) => [
		...dnsSubdomain(given, prefix),
		...(given === `${plural}.${object.spec.group ?? ''}` ? [] : ['must be spec.names.plural+"."+spec.group']),
	];
	objectMeta(out, object.metadata, { name, namespaced: false, finalizers: false });
	spec(out, object.spec, NEW);
	status(out, object);
	apiApproval(out, object, undefined);
	preserve(out, object.spec);
}

/** What the old one has is only looked for where something is wrong with the new one. */
export function customResourceDefinitionUpdate(out: Errors, object: CustomResourceDefinition, old: CustomResourceDefinition): void {
	const found: Errors = [];
	anyUpdate(found, object, old, STRICT);
	if (found.length > 0) anyUpdate(out, object, old, definitionOptions(object, old));
}

function anyUpdate(out: Errors, object: CustomResourceDefinition, old: CustomResourceDefinition, options: DefinitionOptions): void {
	genericMetaUpdate(out, object.metadata, old.metadata);
	spec(out, object.spec, options);
	if (isEstablished(old)) {
		immutable(out, 'spec.scope', object.spec.scope, old.spec.scope);
		immutable(out, 'spec.names.kind', object.spec.names?.kind, old.spec.names?.kind);
	}
	immutable(out, 'spec.group', object.spec.group, old.spec.group);
	immutable(out, 'spec.names.plural', object.spec.names?.plural, old.spec.names?.plural);
	status(out, object);
	apiApproval(out, object, old);
	if (!options.skips.has('preservesUnknown')) preserve(out, object.spec);
}

export function customResourceDefinitionStatusUpdate(out: Errors, object: CustomResourceDefinition, old: CustomResourceDefinition): void {
	genericMetaUpdate(out, object.metadata, old.metadata);
	names(out, object.status?.acceptedNames ?? {}, 'status.acceptedNames');
}

function spec(out: Errors, given: Spec, options: DefinitionOptions): void {
	const { group = '', versions = [] } = given;
	if (group === '') out.push(required('spec.group'));
	else {
		const complaints = dnsSubdomain(group);
		if (complaints.length > 0) out.push(invalidValue('spec.group', group, complaints.join(',')));
		else if (!group.includes('.')) out.push(invalidValue('spec.group', group, 'should be a domain with at least one dot'));
	}
	if ((given.scope ?? '') === '') out.push(required('spec.scope'));
	else oneOf(out, 'spec.scope', given.scope, ['Cluster', 'Namespaced']);
	const preserves = given.preserveUnknownFields === true;
	versions.forEach(({ schema, served }, i) => {
		if (schema?.openAPIV3Schema !== undefined) return;
		const path = `spec.versions[${i}].schema.openAPIV3Schema`;
		if (!options.skips.has('noSchema')) out.push(required(path));
		else if (served && !preserves) out.push(required(path, 'because otherwise all fields are pruned'));
	});
	const has = (matches: (schema: Schema) => boolean): boolean =>
		versions.some(({ schema }) => schema?.openAPIV3Schema !== undefined && schemaHas(schema.openAPIV3Schema as Schema, matches));
	const hasDefaults = preserves && has((schema) => schema.default !== undefined);
	if (hasDefaults) out.push(invalidValue('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'));
	const shared = sharedParts(versions);
	const mustBeStructural = !preserves || hasDefaults || has(isExtended);
	const own = mustBeStructural ? { ...options, skips: new Set([...options.skips].filter((one) => one !== 'notStructural')) } : options;
	versionsOf(out, versions, shared, own, given.versions === undefined || given.versions === null);
	const [first] = versions;
	if ((first?.name ?? '') !== '') label(out, 'spec.version', first?.name ?? '');
	const { plural = '', singular = '', kind = '', listKind = '' } = given.names ?? {};
	for (const [key, value] of Object.entries({ plural, singular, kind, listKind }))
		if (value === '') out.push(required(`spec.names.${key}`));
	names(out, given.names ?? {}, 'spec.names');
	if (first !== undefined)
		parts(out, first, { at: 'spec', schema: 'validation', isHere: (part) => shared.has(part), versions, options: own });
	const { strategy = '' } = given.conversion ?? {};
	if (given.conversion !== undefined && strategy !== 'None' && preserves)
		out.push(invalidValue('spec.conversion.strategy', strategy, 'must be None if spec.preserveUnknownFields is true'));
	conversion(out, given.conversion, options.skips);
}

/** Markers of ours ask for a structural schema. */
function isExtended(schema: Schema): boolean {
	const isSet = (key: 'embedded-resource' | 'int-or-string'): boolean => schema[`x-kubernetes-${key}`] === true;
	const lists = ['x-kubernetes-list-map-keys', 'x-kubernetes-validations'] as const;
	return (
		isSet('embedded-resource') ||
		isSet('int-or-string') ||
		schema['x-kubernetes-preserve-unknown-fields'] !== undefined ||
		schema['x-kubernetes-list-type'] !== undefined ||
		lists.some((key) => (schema[key] ?? []).length > 0)
	);
}

/** @param absent a list that is not there at all is shown as none */
function versionsOf(
	out: Errors,
	versions: readonly CustomResourceDefinitionVersion[],
	shared: ReadonlySet<Part>,
	options: DefinitionOptions,
	absent: boolean,
): void {
	versions.forEach((version, i) => {
		const at = `spec.versions[${i}]`;
		label(out, `${at}.name`, version.name ?? '');
		deprecation(out, version, at);
		parts(out, version, { at, schema: 'schema', isHere: (part) => !shared.has(part), versions: [version], options });
	});
	const shown = (): unknown =>
		absent
			? null
			: versions.map((version) =>
					internalForm(
						'apiextensions/v1.CustomResourceDefinitionVersion',
						Object.fromEntries(Object.entries(version).filter(([key]) => !shared.has(key as Part))),
					),
				);
	if (new Set(versions.map((v) => v.name)).size < versions.length)
		out.push(invalidValue('spec.versions', shown(), 'must contain unique version names'));
	if (versions.filter((v) => v.storage).length !== 1)
		out.push(invalidValue('spec.versions', shown(), 'must have exactly one version marked as storage version'));
}

/** Where parts of a version stand: its own, or those that all have. */
interface Place {
	readonly at: string;
	readonly schema: 'schema' | 'validation';
	readonly isHere: (part: Part) => boolean;
	/** Those that may have a status. */
	readonly versions: readonly CustomResourceDefinitionVersion[];
	readonly options: DefinitionOptions;
}

function parts(out: Errors, version: CustomResourceDefinitionVersion, { at, isHere, options, versions, ...place }: Place): void {
	const schema = version.schema?.openAPIV3Schema as Schema | undefined;
	const hasStatus = versions.some((v) => v.subresources?.status !== undefined);
	const skips: SchemaOptions = new Set([...options.skips, ...(options.sameSchemas.has(version.name) ? (['expensive'] as const) : [])]);
	if (isHere('schema') && schema !== undefined) customResourceSchema(out, schema, `${at}.${place.schema}`, hasStatus, skips);
	if (isHere('subresources')) subresources(out, version.subresources, `${at}.subresources`);
	if (isHere('additionalPrinterColumns')) columns(out, version.additionalPrinterColumns ?? [], `${at}.additionalPrinterColumns`);
	if (!isHere('selectableFields')) return;
	const mayBeMany = options.manyFields.has(place.schema === 'validation' ? '' : version.name);
	selectableFields(out, version.selectableFields ?? [], isHere('schema') ? schema : undefined, `${at}.selectableFields`, mayBeMany);
}

function label(out: Errors, path: string, value: string): void {
	const complaints = dns1035Label(value);
	if (complaints.length > 0) out.push(invalidValue(path, value, complaints.join(',')));
}

function names(out: Errors, given: Partial<CustomResourceDefinitionNames>, path: string): void {
	const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = given;
	if (plural !== '') label(out, `${path}.plural`, plural);
	if (singular !== '') label(out, `${path}.singular`, singular);
	for (const [key, value] of Object.entries({ kind, listKind })) {
		const complaints = value === '' ? [] : dns1035Label(value.toLowerCase());
		if (complaints.length > 0)
			out.push(invalidValue(`${path}.${key}`, value, `may have mixed case, but should otherwise match: ${complaints.join(',')}`));
	}
	shortNames.forEach((name, i) => label(out, `${path}.shortNames[${i}]`, name));
	if (kind !== '' && kind === listKind) out.push(invalidValue(`${path}.listKind`, listKind, 'kind and listKind may not be the same'));
	categories.forEach((name, i) => label(out, `${path}.categories[${i}]`, name));
}

function status(out: Errors, object: CustomResourceDefinition): void {
	names(out, object.status?.acceptedNames ?? {}, 'status.acceptedNames');
	storedVersions(out, object);
}

function storedVersions(out: Errors, { spec: given, status: found }: CustomResourceDefinition): void {
	const path = 'status.storedVersions';
	const stored = found?.storedVersions ?? [];
	if (stored.length === 0) {
		out.push(invalidValue(path, found?.storedVersions ?? null, 'must have at least one stored version'));
		return;
	}
	// A version of the same name after the first is not looked up again: its name counts as found.
	const left = new Map(stored.map((name, i) => [name, i]));
	for (const { name = '', storage } of given.versions ?? []) {
		const isStored = left.delete(name);
		if (storage && !isStored) out.push(invalidValue(path, stored, `must have the storage version ${name}`));
	}
	for (const [name, i] of left) out.push(missing(`${path}[${i}]`, name));
}

function missing(path: string, name: string): FieldError {
	const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
	return invalidValue(path, name, why);
}

function preserve(out: Errors, given: Spec): void {
	if (given.preserveUnknownFields === true)
		out.push(
			invalidValue(
				'spec.preserveUnknownFields',
				true,
				'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
			),
		);
}
