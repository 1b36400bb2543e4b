/**
 * Rules for CustomResourceDefinitions (apiextensions validation.go). What all versions have alike is spoken of as if it stood at the top of
 * the spec, as upstream's internal type has it.
 */
import { invalidValue, required, type FieldError } from '../../field-error.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionNames, CustomResourceDefinitionVersion } from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import { sameJson } from '../../same-json.ts';
import { innerSchemas, type Schema } from '../../structural/schema.ts';
import { apiApproval } from './api-approval.ts';
import { caBundleFault } from '../ca-bundle.ts';
import { conversion } from './conversion.ts';
import { columns, deprecation, selectableFields, subresources } from './version.ts';
import { customResourceSchema } from './schema.ts';
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
	spec(out, object.spec);
	status(out, object);
	apiApproval(out, object, undefined);
	preserve(out, object.spec);
}

export function customResourceDefinitionUpdate(out: Errors, object: CustomResourceDefinition, old: CustomResourceDefinition): void {
	genericMetaUpdate(out, object.metadata, old.metadata);
	spec(out, object.spec, !isEstablished(old) || caBundleFault(old.spec.conversion?.webhook?.clientConfig?.caBundle) !== undefined);
	if (isEstablished(old)) {
		immutable(out, 'spec.scope', object.spec.scope, old.spec.scope);
		immutable(out, 'spec.names.kind', object.spec.names?.kind, old.spec.names?.kind);
	}
	immutable(out, 'spec.group', object.spec.group, old.spec.group);
	immutable(out, 'spec.names.plural', object.spec.names?.plural, old.spec.names?.plural);
	status(out, object);
	apiApproval(out, object, old);
	preserve(out, object.spec);
}

export function customResourceDefinitionStatusUpdate(out: Errors, object: CustomResourceDefinition, old: CustomResourceDefinition): void {
	genericMetaUpdate(out, object.metadata, old.metadata);
	names(out, object.status?.acceptedNames ?? {}, 'status.acceptedNames');
}

function isEstablished({ status: given }: CustomResourceDefinition): boolean {
	return (given?.conditions ?? []).some((c) => c.type === 'Established' && c.status === 'True');
}

function spec(out: Errors, given: Spec, keepsFaultyBundle = true): void {
	const { group = '', versions = [] } = given;
	if (group === '') out.push(required('spec.group'));
	else {
		const complaints = dnsSubdomain(group);
		if (complaints.length > 0) out.push(invalidValue('spec.group', group, complaints.join(',')));
		else if (!group.includes('.')) out.push(invalidValue('spec.group', group, 'should be a domain with at least one dot'));
	}
	if ((given.scope ?? '') === '') out.push(required('spec.scope'));
	else oneOf(out, 'spec.scope', given.scope, ['Cluster', 'Namespaced']);
	versions.forEach((version, i) => {
		if (version.schema?.openAPIV3Schema === undefined) out.push(required(`spec.versions[${i}].schema.openAPIV3Schema`));
	});
	const preserves = given.preserveUnknownFields === true;
	if (preserves && versions.some((version) => hasDefaults(version.schema?.openAPIV3Schema as Schema | undefined)))
		out.push(invalidValue('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema'));
	const shared = sharedParts(versions);
	versionsOf(out, versions, shared, given.versions === undefined || given.versions === null);
	const [first] = versions;
	if ((first?.name ?? '') !== '') label(out, 'spec.version', first?.name ?? '');
	const { plural = '', singular = '', kind = '', listKind = '' } = given.names ?? {};
	for (const [key, value] of Object.entries({ plural, singular, kind, listKind }))
		if (value === '') out.push(required(`spec.names.${key}`));
	names(out, given.names ?? {}, 'spec.names');
	if (first !== undefined) parts(out, first, 'spec', 'validation', (part) => shared.has(part), versions);
	const { strategy = '' } = given.conversion ?? {};
	if (given.conversion !== undefined && strategy !== 'None' && preserves)
		out.push(invalidValue('spec.conversion.strategy', strategy, 'must be None if spec.preserveUnknownFields is true'));
	conversion(out, given.conversion, keepsFaultyBundle);
}

function hasDefaults(schema: Schema | undefined): boolean {
	return schema !== undefined && (schema.default !== undefined || innerSchemas(schema).some(hasDefaults));
}

const PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;
type Part = (typeof PARTS)[number];

/** The parts that are the same in every version. */
function sharedParts(versions: readonly CustomResourceDefinitionVersion[]): ReadonlySet<Part> {
	return new Set(PARTS.filter((part) => versions.every((version) => sameJson(version[part], versions[0]?.[part]))));
}

/** @param absent a list that is not there at all is shown as none */
function versionsOf(out: Errors, versions: readonly CustomResourceDefinitionVersion[], shared: ReadonlySet<Part>, absent: boolean): void {
	versions.forEach((version, i) => {
		const at = `spec.versions[${i}]`;
		label(out, `${at}.name`, version.name ?? '');
		deprecation(out, version, at);
		parts(out, version, at, 'schema', (part) => !shared.has(part), [version]);
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

function parts(
	out: Errors,
	version: CustomResourceDefinitionVersion,
	at: string,
	schemaName: string,
	isHere: (part: Part) => boolean,
	versions: readonly CustomResourceDefinitionVersion[],
): void {
	const schema = version.schema?.openAPIV3Schema as Schema | undefined;
	const hasStatus = versions.some((v) => v.subresources?.status !== undefined);
	if (isHere('schema') && schema !== undefined) customResourceSchema(out, schema, `${at}.${schemaName}`, hasStatus);
	if (isHere('subresources')) subresources(out, version.subresources, `${at}.subresources`);
	if (isHere('additionalPrinterColumns')) columns(out, version.additionalPrinterColumns ?? [], `${at}.additionalPrinterColumns`);
	if (isHere('selectableFields')) selectableFields(out, version.selectableFields ?? [], schema, `${at}.selectableFields`);
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
