/** Dynamic resource allocation: claims and their templates, device classes, slices. Selectors' expressions are checked where they are compiled. */
import { duplicate, invalidValue, required, tooLong } from '../field-error.ts';
import type {
	DeviceAttribute,
	DeviceClaim,
	DeviceClass,
	DeviceConstraint,
	DeviceSelector,
	ExactDeviceRequest,
	ResourceClaimTemplate,
	ResourceResourceClaim,
	ResourceSlice,
	ResourceSliceSpec,
} from '../gen/types.ts';
import { internalForm } from '../internal/form.ts';
import { dnsLabel, dnsSubdomain } from './names.ts';
import { objectMeta, objectMetaUpdate } from './metadata.ts';
import { oneOf, same, texts, Unique, type Errors } from './rule.ts';
import { nodeSelectorTerm } from './selectors.ts';
import { tolerations } from './scheduling.ts';

const META = { name: dnsSubdomain, namespaced: true, finalizers: true };
const CLUSTER = { name: dnsSubdomain, namespaced: false, finalizers: true };
const MAX = { requests: 32, constraints: 32, config: 32, selectors: 32, devices: 128, attributes: 32, firstAvailable: 8 } as const;

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
	objectMetaUpdate(out, object.metadata, old.metadata);
	frozenSpec(out, 'resource/v1.ResourceClaimSpec', object.spec, old.spec);
	if (same(object.spec, old.spec)) return;
	deviceClaim(out, 'spec.devices', object.spec?.devices ?? {});
}

export function resourceClaimTemplate(out: Errors, object: ResourceClaimTemplate): void {
	objectMeta(out, object.metadata, META);
	deviceClaim(out, 'spec.spec.devices', object.spec?.spec?.devices ?? {});
}

export function resourceClaimTemplateUpdate(out: Errors, object: ResourceClaimTemplate, old: ResourceClaimTemplate): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	frozenSpec(out, 'resource/v1.ResourceClaimTemplateSpec', object.spec, old.spec);
}

function frozenSpec(out: Errors, type: string, spec: object | undefined, old: object | undefined): void {
	if (!same(spec, old)) out.push(invalidValue('spec', internalForm(type, spec), 'field is immutable'));
}

function deviceClaim(out: Errors, at: string, claim: DeviceClaim): void {
	const requests = claim.requests ?? [];
	const names = new Set<string>();
	if (!tooMany(out, `${at}.requests`, requests.length, MAX.requests))
		for (const [i, request] of requests.entries()) {
			const path = `${at}.requests[${i}]`;
			const { name, exactly, firstAvailable = [] } = request;
			requestName(out, `${path}.name`, name);
			if (exactly === undefined && firstAvailable.length === 0)
				out.push(required(path, 'exactly one of `exactly` or `firstAvailable` is required'));
			else if (exactly !== undefined && firstAvailable.length > 0)
				out.push(invalidValue(path, null, 'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set'));
			if (exactly !== undefined) exactRequest(out, `${path}.exactly`, exactly);
			tooMany(out, `${path}.firstAvailable`, firstAvailable.length, MAX.firstAvailable);
			const inner = new Set<string>();
			for (const [j, sub] of firstAvailable.entries()) {
				requestName(out, `${path}.firstAvailable[${j}].name`, sub.name);
				exactRequest(out, `${path}.firstAvailable[${j}]`, sub);
				if (inner.has(sub.name)) out.push(duplicate(`${path}.firstAvailable[${j}]`, sub.name));
				inner.add(sub.name);
				names.add(`${name}/${sub.name}`);
			}
			if (names.has(name)) out.push(duplicate(path, name));
			names.add(name);
		}
	const constraints = claim.constraints ?? [];
	if (!tooMany(out, `${at}.constraints`, constraints.length, MAX.constraints))
		for (const [i, constraint] of constraints.entries()) deviceConstraint(out, `${at}.constraints[${i}]`, constraint, names);
	const config = claim.config ?? [];
	if (!tooMany(out, `${at}.config`, config.length, MAX.config))
		for (const [i, { requests: of = [], opaque }] of config.entries()) {
			const path = `${at}.config[${i}]`;
			requestReferences(out, `${path}.requests`, of, names);
			opaqueConfiguration(out, path, opaque);
		}
}

function requestName(out: Errors, path: string, name: string): void {
	if (name === '') out.push(required(path));
	else texts(out, path, name, dnsLabel(name));
}

function exactRequest(out: Errors, at: string, request: ExactDeviceRequest): void {
	const { deviceClassName = '', selectors = [], allocationMode: mode = '', count = 0, tolerations: accepted = [] } = request;
	if (deviceClassName === '') out.push(required(`${at}.deviceClassName`));
	else texts(out, `${at}.deviceClassName`, deviceClassName, dnsSubdomain(deviceClassName));
	deviceSelectors(out, `${at}.selectors`, selectors);
	if (mode === 'All' && count !== 0) out.push(invalidValue(`${at}.count`, count, "must not be specified when allocationMode is 'All'"));
	else if (mode === 'ExactCount' && count <= 0) out.push(invalidValue(`${at}.count`, count, 'must be greater than zero'));
	else if (mode !== 'All' && mode !== 'ExactCount')
		out.push({
			reason: 'FieldValueNotSupported',
			field: `${at}.allocationMode`,
			message: `Unsupported value: ${JSON.stringify(mode)}: supported values: "All", "ExactCount"`,
		});
	tolerations(out, `${at}.tolerations`, accepted as Parameters<typeof tolerations>[2]);
}

function deviceSelectors(out: Errors, path: string, list: readonly DeviceSelector[]): void {
	if (tooMany(out, path, list.length, MAX.selectors)) return;
	for (const [i, { cel }] of list.entries()) {
		if (cel === undefined) out.push(required(`${path}[${i}].cel`));
		else if ((cel.expression ?? '') === '') out.push(required(`${path}[${i}].cel.expression`));
	}
}

function deviceConstraint(out: Errors, at: string, constraint: DeviceConstraint, names: ReadonlySet<string>): void {
	requestReferences(out, `${at}.requests`, constraint.requests ?? [], names);
	const { matchAttribute, distinctAttribute } = constraint;
	if (matchAttribute !== undefined) fullyQualified(out, `${at}.matchAttribute`, matchAttribute);
	else if (distinctAttribute !== undefined) fullyQualified(out, `${at}.distinctAttribute`, distinctAttribute);
	else out.push(required(`${at}.matchAttribute`));
}

function requestReferences(out: Errors, path: string, list: readonly string[], names: ReadonlySet<string>): void {
	if (tooMany(out, path, list.length, MAX.requests)) return;
	const seen = new Unique();
	for (const [i, name] of list.entries()) {
		const at = `${path}[${i}]`;
		if (!names.has(name))
			out.push(
				invalidValue(at, name, "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"),
			);
		seen.check(out, at, name);
	}
}

function opaqueConfiguration(
	out: Errors,
	at: string,
	opaque: { readonly driver: string; readonly parameters?: unknown } | undefined,
): void {
	if (opaque === undefined) {
		out.push(required(at, 'exactly one of `opaque` is required'));
		return;
	}
	driverName(out, `${at}.opaque.driver`, opaque.driver);
	const { parameters } = opaque;
	if (parameters === undefined || parameters === null) out.push(required(`${at}.opaque.parameters`));
	else if (typeof parameters !== 'object' || Array.isArray(parameters))
		out.push(invalidValue(`${at}.opaque.parameters`, '<value omitted>', 'must be a valid JSON object'));
}

function driverName(out: Errors, path: string, name: string): void {
	if (name === '') {
		out.push(required(path));
		return;
	}
	if (name.length > 63) out.push(tooLong(path, 63));
	texts(out, path, name, dnsSubdomain(name.toLowerCase()));
}

const C_IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const C_TEXT =
	"a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

function fullyQualified(out: Errors, path: string, name: string): void {
	if (!name.includes('/')) {
		out.push(invalidValue(path, name, 'a fully qualified name must be a domain and a name separated by a slash'));
		return;
	}
	qualified(out, path, name);
}

function qualified(out: Errors, path: string, name: string): void {
	if (name === '') {
		out.push(required(path, 'name required'));
		return;
	}
	const parts = name.split('/');
	const [domain = '', id = ''] = parts;
	if (parts.length === 1) identifier(out, path, domain);
	else if (parts.length > 2) out.push(invalidValue(path, name, 'contains more than one slash'));
	else {
		if (domain === '') out.push(invalidValue(path, '', 'the domain must not be empty'));
		else driverName(out, path, domain);
		if (id === '') out.push(invalidValue(path, '', 'the name must not be empty'));
		else identifier(out, path, id);
	}
}

function identifier(out: Errors, path: string, name: string): void {
	if (name.length > 32) out.push({ ...tooLong(path, 32) });
	if (!C_IDENTIFIER.test(name)) out.push(invalidValue(path, name, C_TEXT));
}

export function deviceClass(out: Errors, object: DeviceClass): void {
	objectMeta(out, object.metadata, CLUSTER);
	const { spec } = object;
	deviceSelectors(out, 'spec.selectors', spec?.selectors ?? []);
	if (tooMany(out, 'spec.config', (spec?.config ?? []).length, MAX.config)) return;
	for (const [i, { opaque }] of (spec?.config ?? []).entries()) opaqueConfiguration(out, `spec.config[${i}]`, opaque);
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
	if (name === '') out.push(required('spec.pool.name'));
	else {
		if (name.length > 253) out.push(tooLong('spec.pool.name', 253));
		for (const part of name.split('/')) texts(out, 'spec.pool.name', part, dnsSubdomain(part));
	}
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
		requestName(out, `${at}.name`, device.name);
		const attributes = Object.entries(device.attributes ?? {});
		const total = attributes.length + Object.keys(device.capacity ?? {}).length;
		if (total > MAX.attributes)
			out.push(invalidValue(at, total, `the total number of attributes and capacities must not exceed ${MAX.attributes}`));
		for (const [key, value] of attributes.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
			qualified(out, `${at}.attributes`, key);
			attribute(out, `${at}.attributes[${key}]`, value);
		}
		for (const key of Object.keys(device.capacity ?? {}).toSorted()) qualified(out, `${at}.capacity`, key);
		for (const [j, { key = '', effect }] of (device.taints ?? []).entries()) {
			if (key === '') out.push(required(`${at}.taints[${j}].key`));
			oneOf(out, `${at}.taints[${j}].effect`, effect, ['NoExecute', 'NoSchedule', 'None']);
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
