/** What a definition that is updated may keep because it was there before (apiextensions ValidateCustomResourceDefinitionUpdate). */
import type { CustomResourceDefinition, CustomResourceDefinitionVersion, SelectableField } from '../../gen/types.ts';
import { sameJson } from '../../same-json.ts';
import { hasLooseKeys, hasLooseSet } from '../../structural/extension-rules.ts';
import { pruneValue } from '../../structural/prune.ts';
import { additionalOf, type Schema } from '../../structural/schema.ts';
import { schemaHas } from '../../structural/schema-has.ts';
import { isType } from '../../structural/schema-rules.ts';
import { isConvertible } from '../../structural/structural-form.ts';
import { structuralErrors } from '../../structural/structural-rules.ts';
import { caBundleFault } from '../ca-bundle.ts';
import { REVIEWS } from './conversion.ts';
import type { DefinitionOption, DefinitionOptions } from './options.ts';
import { sharedParts } from './shared-parts.ts';
import { MAX_SELECTABLE } from './version.ts';

export function definitionOptions(object: CustomResourceDefinition, old: CustomResourceDefinition): DefinitionOptions {
	const versions = object.spec.versions ?? [];
	const [now, before] = [schemaOf(object), schemaOf(old)];
	return {
		skips: skipped(old),
		sameSchemas: new Set(
			versions.map(({ name }) => name).filter((name) => before(name) !== undefined && sameJson(now(name), before(name))),
		),
		manyFields: manyFields(object, old),
	};
}

export function isEstablished({ status: given }: CustomResourceDefinition): boolean {
	return (given?.conditions ?? []).some((c) => c.type === 'Established' && c.status === 'True');
}

const isStructural = (schema: Schema): boolean => isConvertible(schema) && structuralErrors(schema, '').length === 0;

/** What is asked of every schema unless one of the old ones is like this. */
const BROKEN = {
	anyType: (schema) => schemaHas(schema, ({ type = '' }) => type !== '' && !isType(type)),
	looseKeys: (schema) => schemaHas(schema, hasLooseKeys),
	looseSets: (schema) => schemaHas(schema, hasLooseSet),
	notStructural: (schema) => !isStructural(schema),
	unprunedDefaults: (schema) => isStructural(schema) && hasUnprunedDefault(schema),
} as const satisfies Partial<Record<DefinitionOption, (schema: Schema) => boolean>>;

function skipped(old: CustomResourceDefinition): ReadonlySet<DefinitionOption> {
	const { versions = [], conversion, preserveUnknownFields } = old.spec;
	const found = new Set<DefinitionOption>();
	const schemas = versions.flatMap(({ schema }) => (schema?.openAPIV3Schema === undefined ? [] : [schema.openAPIV3Schema as Schema]));
	for (const [option, isBroken] of Object.entries(BROKEN)) if (schemas.some(isBroken)) found.add(option as keyof typeof BROKEN);
	if (schemas.length < versions.length) found.add('noSchema');
	if (preserveUnknownFields === true) found.add('preservesUnknown');
	const { clientConfig, conversionReviewVersions: reviews = [] } = conversion?.webhook ?? {};
	if (reviews.length > 0 && !reviews.some((one) => REVIEWS.includes(one))) found.add('unknownReviews');
	if (!isEstablished(old) || caBundleFault(clientConfig?.caBundle) !== undefined) found.add('faultyBundle');
	return found;
}

function hasUnprunedDefault(schema: Schema): boolean {
	const { default: value, items, properties = {} } = schema;
	if (value !== undefined && pruneValue(structuredClone(value), schema).length > 0) return true;
	return [items, additionalOf(schema), ...Object.values(properties)].some((inner) => inner !== undefined && hasUnprunedDefault(inner));
}

type Schemas = (version: string) => CustomResourceDefinitionVersion['schema'];

/** By the version's name; one that all have is that of any. */
function schemaOf({ spec: { versions = [] } }: CustomResourceDefinition): Schemas {
	return sharedParts(versions).has('schema')
		? () => versions[0]?.schema
		: (name) => versions.find((version) => version.name === name)?.schema;
}

function manyFields(object: CustomResourceDefinition, old: CustomResourceDefinition): ReadonlySet<string> {
	const before = fieldsOf(old);
	return new Set(
		[...fieldsOf(object)]
			.filter(([name, fields]) => (before.get(name)?.length ?? 0) > MAX_SELECTABLE && sameJson(fields, before.get(name)))
			.map(([name]) => name),
	);
}

function fieldsOf({ spec: { versions = [] } }: CustomResourceDefinition): ReadonlyMap<string, readonly SelectableField[]> {
	const [first] = versions;
	if (sharedParts(versions).has('selectableFields')) return new Map([['', first?.selectableFields ?? []]]);
	return new Map(versions.map(({ name, selectableFields = [] }) => [name, selectableFields]));
}
