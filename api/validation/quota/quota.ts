/** ResourceQuotas: names of resources, amounts, scopes and what they may be applied to. */
import { invalidValue, required } from '../../field-error.ts';
import type { ResourceQuota, ResourceQuotaSpec } from '../../gen/types.ts';
import { asSent } from '../../sent-empty.ts';
import { qualifiedName } from '../names.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { amount, COUNTED } from '../pod/resources.ts';
import { texts, type Errors } from '../rule.ts';

const AMOUNTS = new Set([
	'cpu',
	'memory',
	'ephemeral-storage',
	...['requests', 'limits'].flatMap((part) => ['cpu', 'memory', 'ephemeral-storage'].map((name) => `${part}.${name}`)),
	'requests.storage',
]);
const STANDARD_RESOURCES = new Set([...COUNTED, ...AMOUNTS, 'storage']);
const POD_SCOPES = new Set(['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity']);
const SCOPES = new Set([...POD_SCOPES, 'VolumeAttributesClass']);
const CONFLICTS = [
	['BestEffort', 'NotBestEffort'],
	['Terminating', 'NotTerminating'],
] as const;
/** What scopes of pods may be applied to; of the others that are standard, they may not. */
const OF_PODS = new Set(['pods', ...['', 'requests.', 'limits.'].flatMap((part) => [`${part}cpu`, `${part}memory`])]);

/** Of huge pages a quota knows no limits. */
const HUGE_PAGES = /^(requests\.)?hugepages-/;

export function resourceQuota(out: Errors, object: ResourceQuota): void {
	objectMeta(out, object.metadata, NAMESPACED);
	quotaSpec(out, object.spec ?? {});
	statusAmounts(out, object);
}

export function resourceQuotaUpdate(out: Errors, object: ResourceQuota, old: ResourceQuota): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	quotaSpec(out, object.spec ?? {});
	const [now, before] = [new Set(object.spec?.scopes), new Set(old.spec?.scopes)];
	if (now.symmetricDifference(before).size > 0) out.push(invalidValue('spec.scopes', asSent(object.spec, 'scopes'), 'field is immutable'));
}

export function resourceQuotaStatus(out: Errors, object: ResourceQuota, old: ResourceQuota): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	if ((object.metadata.resourceVersion ?? old.metadata.resourceVersion ?? '') === '') out.push(required('resourceVersion'));
	statusAmounts(out, object);
}

function statusAmounts(out: Errors, { status }: ResourceQuota): void {
	for (const key of ['hard', 'used'] as const) amounts(out, `status.${key}`, status?.[key]);
}

function quotaSpec(out: Errors, spec: ResourceQuotaSpec): void {
	amounts(out, 'spec.hard', spec.hard);
	scopes(out, spec);
	const expressions = spec.scopeSelector?.matchExpressions ?? [];
	const names = expressions.map(({ scopeName }) => scopeName as string);
	const resources = Object.keys(spec.hard ?? {}).toSorted();
	const path = 'spec.scopeSelector.matchExpressions';
	for (const { scopeName, operator, values = [] } of expressions) {
		if (!SCOPES.has(scopeName)) out.push(invalidValue(`${path}.scopeName`, scopeName, 'unsupported scope'));
		for (const resource of resources)
			if (SCOPES.has(scopeName) && !applies(scopeName, resource))
				out.push(invalidValue(path, { MatchExpressions: internal(expressions) }, 'unsupported scope applied to resource'));
		if (
			['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'].includes(scopeName) &&
			operator !== 'Exists'
		)
			out.push(
				invalidValue(
					`${path}.operator`,
					operator,
					`must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity`,
				),
			);
		if (operator === 'In' || operator === 'NotIn') {
			if (values.length === 0)
				out.push(required(`${path}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"));
		} else if (operator === 'Exists' || operator === 'DoesNotExist') {
			if (values.length > 0)
				out.push(
					invalidValue(`${path}.values`, values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"),
				);
		} else out.push(invalidValue(`${path}.operator`, operator, 'not a valid selector operator'));
	}
	conflicts(out, path, spec, names);
}

const internal = (list: readonly { scopeName: string; operator: string; values?: readonly string[] | undefined }[]): unknown =>
	list.map((one) => ({ ScopeName: one.scopeName, Operator: one.operator, Values: asSent(one, 'values') ?? null }));

function scopes(out: Errors, spec: ResourceQuotaSpec): void {
	const { scopes: given = [], hard = {} } = spec;
	for (const scope of given) {
		if (!SCOPES.has(scope)) out.push(invalidValue('spec.scopes', given, 'unsupported scope'));
		for (const resource of Object.keys(hard).toSorted())
			if (SCOPES.has(scope) && !applies(scope, resource))
				out.push(invalidValue('spec.scopes', given, 'unsupported scope applied to resource'));
	}
	conflicts(out, 'spec.scopes', spec, given);
}

function conflicts(out: Errors, path: string, spec: ResourceQuotaSpec, given: readonly string[]): void {
	for (const pair of CONFLICTS)
		if (pair.every((scope) => given.includes(scope))) out.push(invalidValue(path, spec.scopes ?? null, 'conflicting scopes'));
}

function applies(scope: string, resource: string): boolean {
	if (!COUNTED.has(resource) && !AMOUNTS.has(resource) && !HUGE_PAGES.test(resource)) return true;
	switch (scope) {
		case 'BestEffort':
			return resource === 'pods';
		case 'VolumeAttributesClass':
			return resource === 'persistentvolumeclaims' || resource === 'requests.storage';
		default:
			return OF_PODS.has(resource);
	}
}

function amounts(out: Errors, path: string, list: Readonly<Record<string, string | number>> | undefined): void {
	for (const [name, value] of Object.entries(list ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
		const at = `${path}[${name}]`;
		quotaResourceName(out, at, name);
		amount(out, at, name, value);
	}
}

function quotaResourceName(out: Errors, at: string, name: string): void {
	const complaints = qualifiedName(name);
	texts(out, at, name, complaints);
	if (name.includes('/')) return;
	const isHuge = HUGE_PAGES.test(name);
	if (!STANDARD_RESOURCES.has(name) && !isHuge) {
		if (complaints.length === 0) out.push(invalidValue(at, name, 'must be a standard resource type or fully qualified'));
		out.push(invalidValue(at, name, 'must be a standard resource for quota'));
	} else if (name === 'storage') out.push(invalidValue(at, name, 'must be a standard resource for quota'));
}
