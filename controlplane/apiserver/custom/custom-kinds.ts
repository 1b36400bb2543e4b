/** The kinds that a CustomResourceDefinition makes: one for each version that it serves, all on the same objects. */
import type { CustomResourceDefinition, CustomResourceDefinitionVersion, CustomResourceSubresourceScale } from '../../../api/gen/types.ts';
import { apiVersionOf, type KubeObject, type Resource, type ResourceRow, type SubresourceRow } from '../../../api/resource.ts';

import { parseJsonPath } from '../../../api/json-path.ts';
import { keepingAll } from '../../../api/structural/keeping.ts';
import { prune } from '../../../api/structural/prune.ts';
import type { Json, Schema } from '../../../api/structural/schema.ts';
import { resourceShape } from '../../../api/structural/shape.ts';
import { customFolder } from '../../storage/custom-folder.ts';
import { compareVersions } from '../discovery/source.ts';
import type { CustomKind } from '../registry/custom-kind.ts';
import type { Kind } from '../registry/kinds.ts';
import type { Draft, ScalePaths, Strategy } from '../strategy/strategy.ts';
import { customColumns } from './columns.ts';
import { isTerminating } from './conditions.ts';
import { complete, decodeCustom, decodeCustomBody, withoutNulls } from './decode.ts';
import { encodedForm, storedForm, type Converter } from './stored-form.ts';
import type { RuleObserver } from '../../../api/structural/cel-rules.ts';
import { createErrors, updateErrors } from './validation.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const SUBRESOURCE_VERBS = ['get', 'patch', 'update'];

/** What a version with no schema takes: anything. */
const ANYTHING: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Names are those that the definition was granted. */
export function customKinds(
	definition: CustomResourceDefinition,
	converter: Converter,
	ended: AbortSignal,
	observer?: RuleObserver,
): readonly Kind[] {
	const versions = definition.spec.versions ?? [];
	const stored = versions.find((version) => version.storage);
	if (stored === undefined) return [];
	return versions.filter((version) => version.served).map((version) => customKind(definition, version, stored, converter, ended, observer));
}

/** The one of the version that is stored, served or not. */
export function storageKind(definition: CustomResourceDefinition, converter: Converter, ended: AbortSignal): Kind | undefined {
	const stored = definition.spec.versions?.find((version) => version.storage);
	return stored === undefined ? undefined : customKind(definition, stored, stored, converter, ended, undefined);
}

const schemaOf = (version: CustomResourceDefinitionVersion): Schema => (version.schema?.openAPIV3Schema as Schema | undefined) ?? ANYTHING;

function customKind(
	definition: CustomResourceDefinition,
	version: CustomResourceDefinitionVersion,
	stored: CustomResourceDefinitionVersion,
	converter: Converter,
	ended: AbortSignal,
	observer: RuleObserver | undefined,
): Kind {
	const resource = rowOf(definition, version);
	const { group = '' } = definition.spec;
	const apiVersion = apiVersionOf(resource);
	const schema = schemaOf(version);
	const { status, scale } = version.subresources ?? {};
	const rules = { resource, schema, scale, observer };
	const table = customColumns(version.additionalPrinterColumns);
	const selectable = selectableOf(version);
	const keepsUnknown = definition.spec.preserveUnknownFields === true;
	const readBy = keepsUnknown ? keepingAll : (schema: Schema) => schema;
	const fitting = readBy(schema);
	const schemas = new Map(definition.spec.versions.map((one) => [apiVersionOf({ group, version: one.name ?? '' }), readBy(schemaOf(one))]));
	const others = (other: string): Schema | undefined => schemas.get(other);
	const pruned = (by: Schema) => (object: KubeObject) => {
		prune(object as unknown as Json, by);
		withoutNulls(object as unknown as Json, by);
	};
	const completed = (object: KubeObject): void => {
		const by = schemas.get(object.apiVersion ?? '');
		if (by === undefined) return;
		prune(object as unknown as Json, by);
		complete(object as unknown as Json, by);
	};
	const form = storedForm({
		apiVersion,
		isKnown: (other) => schemas.has(other),
		storageVersion: apiVersionOf({ group, version: stored.name ?? '' }),
		converter,
		complete: completed,
		prune: pruned(fitting),
		pruneStored: pruned(readBy(schemaOf(stored))),
		selectable,
		namespaced: resource.namespaced,
	});
	const custom: CustomKind = {
		...form,
		decodeBody: (bytes, mediaType, decoding) => decodeCustomBody(bytes, mediaType, resource, fitting, decoding, others),
		decodeValue: (value, decoding) => decodeCustom(structuredClone(value) as Json, resource, fitting, decoding, others),
		validateCreate: (object, warn) => createErrors(rules, object, warn),
		validateUpdate: (object, old, subresource, warn) => updateErrors(rules, object, old, subresource, warn),
		shape: resourceShape(fitting),
		get columns() {
			return table.columns;
		},
		cells: (object, now) => table.cells(object, now),
		warning: warningOf(version, definition.spec),
		isTerminating: isTerminating(definition),
		schema,
		keepsUnknown,
		ended,
		listKind: (definition.status?.acceptedNames ?? definition.spec.names).listKind ?? `${resource.kind}List`,
	};
	return {
		resource,
		apiVersion,
		strategy: strategyOf(status !== undefined, scale === undefined ? undefined : scalePaths(scale, definition), selectable),
		prefix: customFolder(group, resource.plural),
		// Their lists name the kind of each object.
		headLength: 0,
		conversion: undefined,
		custom,
		encode: (object) => encodedForm(object),
	};
}

function rowOf({ spec, status }: CustomResourceDefinition, version: CustomResourceDefinitionVersion): ResourceRow & Resource {
	const names = status?.acceptedNames ?? spec.names;
	const { group = '' } = spec;
	const { kind = '', plural = '', singular = '', shortNames = [], categories = [] } = names;
	const own = { kind, kindGroup: group, kindVersion: version.name ?? '' };
	const rows: SubresourceRow[] = [];
	if (version.subresources?.status !== undefined) rows.push({ name: 'status', ...own, verbs: SUBRESOURCE_VERBS });
	if (version.subresources?.scale !== undefined)
		rows.push({ name: 'scale', kind: 'Scale', kindGroup: 'autoscaling', kindVersion: 'v1', verbs: SUBRESOURCE_VERBS });
	return {
		group,
		version: version.name ?? '',
		kind,
		plural,
		namespaced: spec.scope === 'Namespaced',
		subresources: rows.map(({ name }) => name),
		singular,
		shortNames,
		categories,
		verbs: VERBS,
		rows,
	};
}

function warningOf(
	{ name = '', deprecated = false, deprecationWarning }: CustomResourceDefinitionVersion,
	{ group, names, versions }: CustomResourceDefinition['spec'],
): string | undefined {
	if (!deprecated || deprecationWarning !== undefined) return deprecated ? deprecationWarning : undefined;
	const shown = (version: string): string => `${group}/${version} ${names.kind}`;
	const [successor] = versions
		.filter((one) => one.served && one.deprecated !== true && compareVersions(name, one.name) > 0)
		.toSorted((a, b) => compareVersions(a.name, b.name));
	return `${shown(name)} is deprecated${successor === undefined ? '' : `; use ${shown(successor.name)}`}`;
}

function selectableOf({
	selectableFields = [],
}: CustomResourceDefinitionVersion): Readonly<Record<string, (object: KubeObject) => string>> {
	return Object.fromEntries(
		selectableFields.map(({ jsonPath }) => {
			const path = parseJsonPath(jsonPath);
			return [jsonPath.slice(1), (object: KubeObject): string => textOf(path?.find(object)[0])];
		}),
	);
}

function textOf(value: unknown): string {
	return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

function strategyOf(
	hasStatus: boolean,
	scale: ScalePaths | undefined,
	selectable: Readonly<Record<string, (object: KubeObject) => string>>,
): Strategy {
	return {
		generation: true,
		allowUnconditionalUpdate: false,
		...(hasStatus ? { status: ['status'] } : {}),
		...(Object.keys(selectable).length === 0 ? {} : { fields: selectable as Readonly<Record<string, (object: Draft) => string>> }),
		...(scale === undefined ? {} : { scale }),
	};
}

/** Where a scale's numbers stand in the object. */
function scalePaths(
	{ specReplicasPath, statusReplicasPath, labelSelectorPath }: CustomResourceSubresourceScale,
	{ spec }: CustomResourceDefinition,
): ScalePaths {
	const paths = spec.versions.map(({ name, subresources }): [string, readonly string[] | undefined] => [
		`${spec.group}/${name}`,
		subresources?.scale?.specReplicasPath.split('.').slice(1),
	]);
	const at = (object: unknown, path: string): unknown => parseJsonPath(path)?.find(object)[0];
	return {
		paths: Object.fromEntries(paths),
		specReplicas: (object) => Number(at(object, specReplicasPath) ?? 0),
		absent: (object) => (at(object, specReplicasPath) === undefined ? specReplicasPath : undefined),
		statusReplicas: (object) => Number(at(object, statusReplicasPath) ?? 0),
		selector: (object) => (labelSelectorPath === undefined ? undefined : at(object, labelSelectorPath)),
		setReplicas(object, replicas) {
			const steps = specReplicasPath.split('.').slice(1);
			let inner: Record<string, unknown> = object;
			for (const step of steps.slice(0, -1)) inner = (inner[step] ??= {}) as Record<string, unknown>;
			inner[steps.at(-1) as string] = replicas;
		},
	};
}
