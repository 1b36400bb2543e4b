/** Dynamic resource allocation: claims and their templates, device classes, slices. Selectors' expressions are checked where they are compiled. */
import { duplicate, invalidValue, required, tooLong } from '../field-error.ts';
import type {
	DeviceAttribute,
	DeviceClass,
	ResourceClaimTemplate,
	ResourceResourceClaim,
	ResourceSlice,
	ResourceSliceSpec,
} from '../gen/types.ts';
import { internalForm } from '../internal/form.ts';
import { deviceClaim, deviceSelectors, items } from './device-claims.ts';
import { driverName, opaqueConfiguration, poolName, qualified } from './device-names.ts';
import { byteCounted, dnsLabel, dnsSubdomain, labelValue, qualifiedName } from './names.ts';
import { objectMeta, objectMetaUpdate, templateMeta } from './metadata.ts';
import { oneOf, same, texts, type Errors } from './rule.ts';
import { nodeSelectorTerm } from './selectors.ts';
import { isExtendedResource } from './resources.ts';

const META = { name: dnsSubdomain, namespaced: true, finalizers: true };
const CLUSTER = { name: dnsSubdomain, namespaced: false, finalizers: true };
const MAX = { config: 32, devices: 128, attributes: 32 } as const;

function tooMany(out: Errors, path: string, actual: number, limit: number): boolean {
	if (actual <= limit) return false;
	out.push({ reason: 'FieldValueTooMany', field: path, message: `Too many: ${actual}: must have at most ${limit} items` });
	return true;
}

export function resourceClaim(out: Errors, object: ResourceResourceClaim): void {
	objectMeta(out, object.metadata, META);
	deviceClaim(out, 'spec.devices', object.spec?.devices ?? {});
}

export function resourceClaimUpdate(out: Errors, object: ResourceResourceClaim, old: ResourceResourceClaim): void {
	objectMeta(out, object.metadata, META);
	objectMetaUpdate(out, object.metadata, old.metadata);
	frozenSpec(out, 'resource/v1.ResourceClaimSpec', object.spec, old.spec);
}

export function resourceClaimTemplate(out: Errors, object: ResourceClaimTemplate): void {
	objectMeta(out, object.metadata, META);
	templateMeta(out, 'spec.metadata', object.spec?.metadata);
	deviceClaim(out, 'spec.spec.devices', object.spec?.spec?.devices ?? {});
}

export function resourceClaimTemplateUpdate(out: Errors, object: ResourceClaimTemplate, old: ResourceClaimTemplate): void {
	resourceClaimTemplate(out, object);
	objectMetaUpdate(out, object.metadata, old.metadata);
	frozenSpec(out, 'resource/v1.ResourceClaimTemplateSpec', object.spec, old.spec);
}

function frozenSpec(out: Errors, type: string, spec: object | undefined, old: object | undefined): void {
	if (!same(spec, old)) out.push(invalidValue('spec', internalForm(type, spec), 'field is immutable'));
}

export function deviceClass(out: Errors, object: DeviceClass): void {
	objectMeta(out, object.metadata, { ...CLUSTER, name: byteCounted });
	const { spec } = object;
	deviceSelectors(out, 'spec.selectors', spec?.selectors ?? []);
	items(out, 'spec.config', spec?.config ?? [], MAX.config, (at, { opaque }) => opaqueConfiguration(out, at, opaque));
	const { extendedResourceName: extended } = spec ?? {};
	if (extended !== undefined && !isExtendedResource(extended))
		out.push(invalidValue('spec.extendedResourceName', extended, 'must be a valid extended resource name'));
}

export function resourceSlice(out: Errors, object: ResourceSlice): void {
	objectMeta(out, object.metadata, CLUSTER);
	sliceSpec(out, object.spec);
}

export function resourceSliceUpdate(out: Errors, object: ResourceSlice, old: ResourceSlice): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	sliceSpec(out, object.spec);
	for (const [path, now, before] of [
		['spec.driver', object.spec.driver, old.spec.driver],
		['spec.pool.name', object.spec.pool.name, old.spec.pool.name],
		['spec.nodeName', object.spec.nodeName, old.spec.nodeName],
	] as const)
		if (!same(now, before)) out.push(invalidValue(path, now ?? null, 'field is immutable'));
}

const PLACES = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;
const ONE_PLACE = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

function sliceSpec(out: Errors, spec: ResourceSliceSpec): void {
	driverName(out, 'spec.driver', spec.driver);
	const { name = '', generation = 0, resourceSliceCount: count = 0 } = spec.pool;
	poolName(out, 'spec.pool.name', name);
	if (count <= 0) out.push(invalidValue('spec.pool.resourceSliceCount', count, 'must be greater than zero'));
	if (generation < 0) out.push(invalidValue('spec.pool.generation', generation, 'must be greater than or equal to zero'));
	const given = PLACES.filter((key) => spec[key] !== undefined && spec[key] !== '' && (key === 'allNodes' ? true : spec[key] !== false));
	if (spec.nodeName !== undefined) {
		if (spec.nodeName === '') out.push(invalidValue('spec.nodeName', '', 'must be either unset or set to a non-empty string'));
		else texts(out, 'spec.nodeName', spec.nodeName, dnsSubdomain(spec.nodeName));
	}
	if (spec.nodeSelector !== undefined) {
		const terms = spec.nodeSelector.nodeSelectorTerms ?? [];
		if (terms.length !== 1)
			out.push(invalidValue('spec.nodeSelector.nodeSelectorTerms', terms, 'must have exactly one node selector term'));
		for (const [i, term] of terms.entries()) nodeSelectorTerm(out, `spec.nodeSelector.nodeSelectorTerms[${i}]`, term);
	}
	if (spec.allNodes === false) out.push(invalidValue('spec.allNodes', false, 'must be either unset or set to true'));
	if (given.length === 0) out.push(required('spec', ONE_PLACE));
	else if (given.length > 1)
		out.push(invalidValue('spec', `{${given.map((key) => `\`${key}\``).join(', ')}}`, `${ONE_PLACE}, but multiple fields are set`));
	const devices = spec.devices ?? [];
	if (tooMany(out, 'spec.devices', devices.length, MAX.devices)) return;
	const names = new Set<string>();
	for (const [i, device] of devices.entries()) {
		const at = `spec.devices[${i}]`;
		if ((device.name ?? '') === '') out.push(required(`${at}.name`));
		else texts(out, `${at}.name`, device.name, dnsLabel(device.name));
		const attributes = Object.entries(device.attributes ?? {});
		const total = attributes.length + Object.keys(device.capacity ?? {}).length;
		if (total > MAX.attributes)
			out.push(invalidValue(at, total, `the total number of attributes and capacities must not exceed ${MAX.attributes}`));
		for (const [key, value] of attributes.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
			qualified(out, `${at}.attributes`, key);
			attribute(out, `${at}.attributes[${key}]`, value);
		}
		for (const key of Object.keys(device.capacity ?? {}).toSorted()) qualified(out, `${at}.capacity`, key);
		for (const [j, { key = '', value = '', effect = '' }] of (device.taints ?? []).entries()) {
			texts(out, `${at}.taints[${j}].key`, key, qualifiedName(key));
			if (value !== '') texts(out, `${at}.taints[${j}].value`, value, labelValue(value));
			if (effect === '') out.push(required(`${at}.taints[${j}].effect`));
			else oneOf(out, `${at}.taints[${j}].effect`, effect, ['NoExecute', 'NoSchedule', 'None']);
		}
		if (names.has(device.name)) out.push(duplicate(`${at}.name`, device.name));
		names.add(device.name);
	}
}

const SEMVER =
	/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-((0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;
const MAX_TEXT = 64;

function attribute(out: Errors, at: string, value: DeviceAttribute): void {
	const given = (['int', 'bool', 'string', 'version'] as const).filter((key) => value[key] !== undefined);
	if (value.string !== undefined && value.string.length > MAX_TEXT) out.push(tooLong(`${at}.string`, MAX_TEXT));
	if (value.version !== undefined) {
		if (!SEMVER.test(value.version))
			out.push(invalidValue(`${at}.version`, value.version, 'must be a string compatible with semver.org spec 2.0.0'));
		if (value.version.length > MAX_TEXT) out.push(tooLong(`${at}.version`, MAX_TEXT));
	}
	if (given.length === 0) out.push(invalidValue(at, '', 'exactly one value must be specified'));
	else if (given.length > 1)
		out.push(invalidValue(at, internalForm('resource/v1.DeviceAttribute', value), 'exactly one value must be specified'));
}
