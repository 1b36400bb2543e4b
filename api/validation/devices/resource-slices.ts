/** Slices: the devices that a driver offers, where they are, and the counters that they share (upstream validateResourceSliceSpec). */
import { invalidValue, required, tooMany } from '../../field-error.ts';
import type {
	Counter,
	CounterSet,
	Device,
	DeviceCounterConsumption,
	DeviceTaint,
	NodeSelector,
	ResourceSlice,
	ResourceSliceSpec,
} from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import { asSent } from '../../sent-empty.ts';
import { bindingConditions } from './bindings.ts';
import { deviceCapacity } from './capacity.ts';
import { EFFECTS } from './claims.ts';
import { items, unique } from './lists.ts';
import { attribute, isList, valuesOf } from './attributes.ts';
import { driverName, poolName, qualified } from './names.ts';
import { CLUSTER_SCOPED, objectMeta, objectMetaUpdate } from '../metadata.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../names.ts';
import { oneOf, same, texts, type Errors } from '../rule.ts';
import { nodeSelector } from '../selectors.ts';

const MAX = { devices: 128, devicesThatDoMore: 64, attributes: 32, values: 48, taints: 16, consumed: 2, sets: 8, counters: 32 } as const;

export function resourceSlice(out: Errors, object: ResourceSlice): void {
	objectMeta(out, object.metadata, CLUSTER_SCOPED);
	sliceSpec(out, object.spec);
}

export function resourceSliceUpdate(out: Errors, object: ResourceSlice, old: ResourceSlice): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	sliceSpec(out, object.spec, old.spec);
}

function sliceSpec(out: Errors, spec: ResourceSliceSpec, old?: ResourceSliceSpec): void {
	driverName(out, 'spec.driver', spec.driver);
	const { name = '', generation = 0, resourceSliceCount: count = 0 } = spec.pool;
	poolName(out, 'spec.pool.name', name);
	if (count <= 0) out.push(invalidValue('spec.pool.resourceSliceCount', count, 'must be greater than zero'));
	if (generation < 0) out.push(invalidValue('spec.pool.generation', generation, 'must be greater than or equal to zero'));
	if (old !== undefined)
		for (const [path, now, before] of [
			['spec.pool.name', spec.pool.name, old.pool.name],
			['spec.driver', spec.driver, old.driver],
			['spec.nodeName', spec.nodeName, old.nodeName],
		] as const)
			if (!same(now, before)) out.push(invalidValue(path, now ?? null, 'field is immutable'));
	slicePlace(out, spec);
	const { devices = [], sharedCounters = [] } = spec;
	if (asSent(spec, 'devices') !== undefined && asSent(spec, 'sharedCounters') !== undefined)
		out.push(invalidValue('spec', '', 'only one of `sharedCounters` or `devices` is allowed'));
	const most = devices.some(doesMore) ? MAX.devicesThatDoMore : MAX.devices;
	const nameOf = (one: Device | CounterSet): string => one.name ?? '';
	const before = new Map((old?.devices ?? []).map((one) => [nameOf(one), one]));
	const isPlaced = spec.perDeviceNodeSelection === true;
	unique(out, 'spec.devices', devices, most, nameOf, (at, one) => device(out, at, one, before.get(nameOf(one)), isPlaced));
	unique(out, 'spec.sharedCounters', sharedCounters, MAX.sets, nameOf, (at, { name: set, counters }) => {
		counterSet(out, `${at}.name`, set);
		counterMap(out, `${at}.counters`, counters);
	});
}

function doesMore({ taints = [], consumesCounters = [], attributes = {} }: Device): boolean {
	return taints.length > 0 || consumesCounters.length > 0 || Object.values(attributes).some(isList);
}

interface Place {
	readonly nodeName?: string | undefined;
	readonly nodeSelector?: NodeSelector | undefined;
	readonly allNodes?: boolean | undefined;
	readonly perDeviceNodeSelection?: boolean | undefined;
}

/** Checks where devices are; the ways in which that is said. */
function place(
	out: Errors,
	at: string,
	{ nodeName, nodeSelector: nodes, allNodes, perDeviceNodeSelection }: Place,
	{ empty, hasOneTerm = false }: { readonly empty: string; readonly hasOneTerm?: boolean },
): string[] {
	const ways: string[] = [];
	if (nodeName === '') out.push(invalidValue(`${at}.nodeName`, '', empty));
	else if (nodeName !== undefined) {
		ways.push('`nodeName`');
		texts(out, `${at}.nodeName`, nodeName, dnsSubdomain(nodeName));
	}
	if (nodes !== undefined) {
		ways.push('`nodeSelector`');
		nodeSelector(out, `${at}.nodeSelector`, nodes);
		if (hasOneTerm) oneTerm(out, `${at}.nodeSelector.nodeSelectorTerms`, nodes);
	}
	for (const [key, value] of Object.entries({ allNodes, perDeviceNodeSelection }))
		if (value === true) ways.push(`\`${key}\``);
		else if (value === false) out.push(invalidValue(`${at}.${key}`, false, 'must be either unset or set to true'));
	return ways;
}

const ONE_PLACE = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

function slicePlace(out: Errors, spec: ResourceSliceSpec): void {
	const ways = place(out, 'spec', spec, { empty: 'must be either unset or set to a non-empty string', hasOneTerm: true });
	if (ways.length === 0) out.push(required('spec', ONE_PLACE));
	else if (ways.length > 1) out.push(invalidValue('spec', `{${ways.join(', ')}}`, `${ONE_PLACE}, but multiple fields are set`));
}

/** So that selectors of several slices can be merged. */
function oneTerm(out: Errors, path: string, { nodeSelectorTerms: terms }: Partial<NodeSelector>): void {
	if (terms?.length === 1) return;
	const shown = terms?.map((term) => internalForm('core/v1.NodeSelectorTerm', term)) ?? null;
	out.push(invalidValue(path, shown, 'must have exactly one node selector term'));
}

const ONE_OWN_PLACE =
	'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const NO_OWN_PLACE =
	'`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';

function devicePlace(out: Errors, at: string, given: Device, isPlaced: boolean): void {
	const { nodeName, nodeSelector: nodes, allNodes } = given;
	if (!isPlaced) {
		if (nodeName !== undefined || nodes !== undefined || allNodes !== undefined) out.push(invalidValue(at, null, NO_OWN_PLACE));
		return;
	}
	const ways = place(out, at, { nodeName, nodeSelector: nodes, allNodes }, { empty: 'must not be empty' });
	if (ways.length === 0) out.push(required(at, ONE_OWN_PLACE));
	else if (ways.length > 1) out.push(invalidValue(at, `{${ways.join(', ')}}`, ONE_OWN_PLACE));
}

function device(out: Errors, at: string, given: Device, before: Device | undefined, isPlaced: boolean): void {
	texts(out, `${at}.name`, given.name ?? '', dnsLabel(given.name ?? ''));
	const attributes = sorted(given.attributes);
	const capacities = sorted(given.capacity);
	const total = attributes.length + capacities.length;
	if (total > MAX.attributes)
		out.push(invalidValue(at, total, `the total number of attributes and capacities must not exceed ${MAX.attributes}`));
	const values = attributes.reduce((sum, [, value]) => sum + valuesOf(value), 0);
	if (values > MAX.values) out.push(invalidValue(at, values, `the total number of attribute values must not exceed ${MAX.values}`));
	for (const [key, value] of attributes) {
		qualified(out, `${at}.attributes`, key);
		attribute(out, `${at}.attributes[${shortKey(key)}]`, value);
	}
	for (const [key, value] of capacities) {
		qualified(out, `${at}.capacity`, key);
		deviceCapacity(out, `${at}.capacity[${shortKey(key)}]`, value, given.allowMultipleAllocations === true);
	}
	const { taints = [], consumesCounters = [] } = given;
	if (before === undefined || !same(before.taints, taints))
		items(out, `${at}.taints`, taints, MAX.taints, (path, one) => taint(out, path, one));
	const setOf = ({ counterSet: set }: DeviceCounterConsumption): string => set ?? '';
	unique(out, `${at}.consumesCounters`, consumesCounters, MAX.consumed, setOf, (path, { counterSet: set, counters }) => {
		counterSet(out, `${path}.counterSet`, set);
		counterMap(out, `${path}.counters`, counters);
	});
	devicePlace(out, at, given, isPlaced);
	bindingConditions(out, at, given);
}

/** A domain, a slash and an identifier. */
const MAX_KEY = 63 + 1 + 32;

/** In the path of an error a key that is too long lacks its middle. */
function shortKey(key: string): string {
	const bytes = Buffer.from(key);
	if (bytes.length <= MAX_KEY) return key;
	const left = MAX_KEY - '...'.length;
	return `${bytes.subarray(0, Math.ceil(left / 2)).toString()}...${bytes.subarray(-Math.floor(left / 2)).toString()}`;
}

function sorted<T>(map: Readonly<Record<string, T>> | undefined): readonly (readonly [string, T])[] {
	return Object.entries(map ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function taint(out: Errors, at: string, { key = '', value = '', effect = '' }: Partial<DeviceTaint>): void {
	texts(out, `${at}.key`, key, qualifiedName(key));
	if (value !== '') texts(out, `${at}.value`, value, labelValue(value));
	if (effect === '') out.push(required(`${at}.effect`));
	else oneOf(out, `${at}.effect`, effect, EFFECTS);
}

function counterSet(out: Errors, path: string, name: string | undefined): void {
	if ((name ?? '') === '') out.push(required(path));
	else texts(out, path, name, dnsLabel(name ?? ''));
}

function counterMap(out: Errors, path: string, counters: Readonly<Record<string, Counter>> | undefined): void {
	const names = Object.keys(counters ?? {});
	if (names.length === 0) out.push(required(path));
	else if (names.length > MAX.counters) out.push(tooMany(path, names.length, MAX.counters));
	else for (const name of names.toSorted()) texts(out, path, name, dnsLabel(name));
}
