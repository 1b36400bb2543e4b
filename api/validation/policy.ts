/** Kinds with few rules: Lease, PriorityClass, RuntimeClass, ControllerRevision, PodDisruptionBudget, LimitRange, ServiceCIDR. */
import { duplicate, fieldForbidden, invalidValue, required } from '../field-error.ts';
import type { ControllerRevision, Lease, LimitRange, PodDisruptionBudget, PriorityClass, RuntimeClass, ServiceCIDR } from '../gen/types.ts';
import { ceilMilli, ceilUnits, compareQuantities } from '../quantity.ts';
import { internalForm } from '../internal/form.ts';
import { asSent } from '../sent-empty.ts';
import { conditionList } from './conditions.ts';
import { canonicalCidrComplaints } from './address-form.ts';
import { isCidr, isV4 } from './ip.ts';
import { dnsLabel, dnsSubdomain, percent, qualifiedName } from './names.ts';
import { genericMetaUpdate, objectMeta, objectMetaUpdate } from './metadata.ts';
import { containerResources, isContainerResource, isStandardResource, mayOvercommit } from './pod/resources.ts';
import { immutable, nonNegative, oneOf, present, texts, type Errors } from './rule.ts';
import { tolerations } from './pod/scheduling.ts';
import { labelSelector } from './selectors.ts';
import { labels } from './metadata.ts';

const META = { name: dnsSubdomain, namespaced: true, finalizers: true };
const CLUSTER = { name: dnsSubdomain, namespaced: false, finalizers: true };
const MAX_USER_PRIORITY = 1_000_000_000;
/** The system's own classes with their values; no other may have a name that begins with `system-`. */
const SYSTEM_PRIORITIES = new Map([
	['system-node-critical', 2_000_001_000],
	['system-cluster-critical', 2_000_000_000],
]);

export function lease(out: Errors, object: Lease): void {
	objectMeta(out, object.metadata, { ...META, finalizers: false });
	leaseSpec(out, object);
}

function leaseSpec(out: Errors, { spec }: Lease): void {
	if (spec?.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0)
		out.push(invalidValue('spec.leaseDurationSeconds', spec.leaseDurationSeconds, 'must be greater than 0'));
	nonNegative(out, 'spec.leaseTransitions', spec?.leaseTransitions);
}

export function leaseUpdate(out: Errors, object: Lease, old: Lease): void {
	genericMetaUpdate(out, object.metadata, old.metadata);
	leaseSpec(out, object);
}

export function priorityClass(out: Errors, object: PriorityClass): void {
	const { name = '' } = object.metadata;
	objectMeta(out, object.metadata, CLUSTER);
	if (name.startsWith('system-')) {
		const why = systemClassFault(name, object);
		if (why !== undefined)
			out.push(
				fieldForbidden('metadata.name', `priority class names with 'system-' prefix are reserved for system use only. error: ${why}`),
			);
	} else if ((object.value ?? 0) > MAX_USER_PRIORITY)
		out.push(fieldForbidden('value', `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`));
	if (object.preemptionPolicy === '') out.push(required('preemptionPolicy'));
	else oneOf(out, 'preemptionPolicy', object.preemptionPolicy, ['PreemptLowerPriority', 'Never']);
}

function systemClassFault(name: string, { value = 0, globalDefault = false }: PriorityClass): string | undefined {
	const known = SYSTEM_PRIORITIES.get(name);
	if (known === undefined) return `${name} is not a known system priority class`;
	if (known !== value) return `value of ${name} PriorityClass must be ${known}`;
	return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export function priorityClassUpdate(out: Errors, object: PriorityClass, old: PriorityClass): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	if (object.value !== old.value) out.push(fieldForbidden('value', 'may not be changed in an update.'));
	immutable(out, 'preemptionPolicy', object.preemptionPolicy, old.preemptionPolicy);
}

export function runtimeClass(out: Errors, object: RuntimeClass): void {
	objectMeta(out, object.metadata, { ...CLUSTER, finalizers: false });
	if (present(out, 'handler', object.handler)) texts(out, 'handler', object.handler, dnsLabel(object.handler));
	if (object.overhead !== undefined) containerResources(out, 'overhead', { limits: object.overhead.podFixed ?? {} }, new Set());
	labels(out, 'scheduling.nodeSelector', object.scheduling?.nodeSelector);
	const tolerated = object.scheduling?.tolerations ?? [];
	tolerations(out, 'scheduling.tolerations', tolerated);
	const keys = new Set<string>();
	for (const [i, toleration] of tolerated.entries()) {
		const { key = '', operator = '', value = '', effect = '' } = toleration;
		const own = JSON.stringify([key, operator, value, effect]);
		if (keys.has(own)) out.push(duplicate(`scheduling.tolerations[${i}]`, internalForm('core/v1.Toleration', toleration)));
		keys.add(own);
	}
}

export function runtimeClassUpdate(out: Errors, object: RuntimeClass, old: RuntimeClass): void {
	runtimeClass(out, object);
	genericMetaUpdate(out, object.metadata, old.metadata);
	immutable(out, 'handler', object.handler, old.handler);
}

export function controllerRevision(out: Errors, object: ControllerRevision): void {
	objectMeta(out, object.metadata, META);
	const { data } = object;
	if (data === undefined || data === null) out.push(required('data', 'data is mandatory'));
	else if (typeof data !== 'object' || Array.isArray(data)) out.push(required('data', 'data must be a valid JSON object'));
	nonNegative(out, 'revision', object.revision);
}

export function controllerRevisionUpdate(out: Errors, object: ControllerRevision, old: ControllerRevision): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	nonNegative(out, 'revision', object.revision);
	immutable(out, 'data', object.data, old.data);
}

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

export function podDisruptionBudgetStatus(out: Errors, { status }: PodDisruptionBudget): void {
	conditionList(out, 'status.conditions', status?.conditions);
	for (const name of COUNTS) nonNegative(out, `status.${name}`, status?.[name]);
}

export function podDisruptionBudget(out: Errors, { spec }: PodDisruptionBudget): void {
	const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy } = spec ?? {};
	if (minAvailable !== undefined && maxUnavailable !== undefined)
		out.push(
			invalidValue(
				'spec',
				{
					MinAvailable: minAvailable,
					Selector: spec?.selector ?? null,
					MaxUnavailable: maxUnavailable,
					UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
				},
				'minAvailable and maxUnavailable cannot be both set',
			),
		);
	for (const [key, value] of Object.entries({ minAvailable, maxUnavailable })) {
		if (typeof value === 'number') nonNegative(out, `spec.${key}`, value);
		else if (value !== undefined) {
			texts(out, `spec.${key}`, value, percent(value));
			if (percent(value).length === 0 && Number.parseInt(value, 10) > 100)
				out.push(invalidValue(`spec.${key}`, value, 'must not be greater than 100%'));
		}
	}
	labelSelector(out, 'spec.selector', spec?.selector);
	oneOf(out, 'spec.unhealthyPodEvictionPolicy', unhealthyPodEvictionPolicy, ['AlwaysAllow', 'IfHealthyBudget']);
}

export function limitRange(out: Errors, object: LimitRange): void {
	objectMeta(out, object.metadata, META);
	limits(out, object);
}

function limits(out: Errors, object: LimitRange): void {
	const types = new Set<string>();
	for (const [i, limit] of (object.spec?.limits ?? []).entries()) {
		const at = `spec.limits[${i}]`;
		const { type = '', min = {}, max = {}, default: fallback = {}, defaultRequest = {}, maxLimitRequestRatio = {} } = limit;
		const complaints = qualifiedName(type);
		texts(out, `${at}.type`, type, complaints);
		if (complaints.length === 0 && !type.includes('/') && !['Container', 'Pod', 'PersistentVolumeClaim'].includes(type))
			out.push(invalidValue(`${at}.type`, type, 'must be a standard limit type or fully qualified'));
		if (types.has(type)) out.push(duplicate(`${at}.type`, type));
		types.add(type);
		if (type === 'Pod') {
			if (Object.keys(fallback).length > 0) out.push(fieldForbidden(`${at}.default`, "may not be specified when `type` is 'Pod'"));
			if (Object.keys(defaultRequest).length > 0)
				out.push(fieldForbidden(`${at}.defaultRequest`, "may not be specified when `type` is 'Pod'"));
		}
		if (type === 'PersistentVolumeClaim' && min['storage'] === undefined && max['storage'] === undefined)
			out.push(required(`${at}.limits`, 'either minimum or maximum storage value is required, but neither was provided'));
		const names = new Set([
			...Object.keys(max),
			...Object.keys(min),
			...Object.keys(fallback),
			...Object.keys(defaultRequest),
			...Object.keys(maxLimitRequestRatio),
		]);
		for (const [key, list] of Object.entries({ max, min, default: fallback, defaultRequest, maxLimitRequestRatio }))
			if (type !== 'Pod' || (key !== 'default' && key !== 'defaultRequest'))
				for (const name of Object.keys(list).toSorted()) limitName(out, `${at}.${key}[${name}]`, type, name);
		for (const name of names) {
			const above = (
				key: string,
				low: string | number | undefined,
				high: string | number | undefined,
				shown: string | number | undefined,
				text: string,
			): void => {
				if (low !== undefined && high !== undefined && compareQuantities(low, high) > 0)
					out.push(invalidValue(`${at}.${key}[${name}]`, String(shown), text));
			};
			const [lo, hi, lim, req, ratio] = [min[name], max[name], fallback[name], defaultRequest[name], maxLimitRequestRatio[name]];
			above('min', lo, hi, lo, `min value ${lo} is greater than max value ${hi}`);
			above('defaultRequest', lo, req, req, `min value ${lo} is greater than default request value ${req}`);
			above('defaultRequest', req, hi, req, `default request value ${req} is greater than max value ${hi}`);
			above('defaultRequest', req, lim, req, `default request value ${req} is greater than default limit value ${lim}`);
			above('default', lo, lim, lo, `min value ${lo} is greater than default value ${lim}`);
			above('default', lim, hi, hi, `default value ${lim} is greater than max value ${hi}`);
			if (ratio !== undefined && compareQuantities(ratio, 1) < 0)
				out.push(invalidValue(`${at}.maxLimitRequestRatio[${name}]`, String(ratio), `ratio ${ratio} is less than 1`));
			const most = ratio === undefined || lo === undefined || hi === undefined ? undefined : spread(ratio, lo, hi);
			if (most !== undefined && most.ratio > most.limit)
				out.push(
					invalidValue(
						`${at}.maxLimitRequestRatio[${name}]`,
						String(ratio),
						`ratio ${ratio} is greater than max/min = ${goFixed(most.limit)}`,
					),
				);
			if (lim !== undefined && req !== undefined && !mayOvercommit(name) && compareQuantities(lim, req) !== 0)
				out.push(
					invalidValue(
						`${at}.defaultRequest[${name}]`,
						String(req),
						`default value ${lim} must equal to defaultRequest value ${req} in ${name}`,
					),
				);
		}
	}
}

/** Above this upstream counts whole units (resource.MaxMilliValue). */
const MAX_MILLI = Number((1n << 63n) - 1n) / 1000;

/** A ratio and what it may be at most, to thousandths where they are not too large for it. */
function spread(ratio: string | number, lo: string | number, hi: string | number): { readonly ratio: number; readonly limit: number } {
	const whole = [ratio, lo, hi].map(ceilUnits) as [number, number, number];
	const [r, least, most] = whole.every((n) => n < MAX_MILLI) ? ([ratio, lo, hi].map((q) => ceilMilli(q) / 1000) as typeof whole) : whole;
	return { ratio: r, limit: most / least };
}

/** As Go's %f. */
function goFixed(value: number): string {
	return Number.isFinite(value) ? value.toFixed(6) : Number.isNaN(value) ? 'NaN' : '+Inf';
}

function limitName(out: Errors, at: string, type: string, name: string): void {
	const complaints = qualifiedName(name);
	texts(out, at, name, complaints);
	if (name.includes('/')) return;
	if (complaints.length === 0 && !isStandardResource(name))
		out.push(invalidValue(at, name, 'must be a standard resource type or fully qualified'));
	if ((type === 'Pod' || type === 'Container') && !isContainerResource(name))
		out.push(invalidValue(at, name, 'must be a standard resource for containers'));
}

export function limitRangeUpdate(out: Errors, object: LimitRange): void {
	limitRange(out, object);
}

/** A second family may be added, nothing else changed. */
export function serviceCidrUpdate(out: Errors, object: ServiceCIDR, old: ServiceCIDR): void {
	objectMetaUpdate(out, object.metadata, old.metadata);
	const [now, before] = [object.spec?.cidrs ?? [], old.spec?.cidrs ?? []];
	const added = before.length === 1 && now.length === 2;
	if (now.length !== before.length && !added)
		out.push(invalidValue('spec.cidrs', asSent(object.spec, 'cidrs') ?? null, 'field is immutable'));
	else
		for (const [i, cidr] of before.entries()) if (now[i] !== cidr) out.push(invalidValue(`spec.cidrs[${i}]`, now[i], 'field is immutable'));
	if (added) ranges(out, object);
}

export function serviceCidr(out: Errors, object: ServiceCIDR): void {
	objectMeta(out, object.metadata, CLUSTER);
	ranges(out, object);
}

function ranges(out: Errors, object: ServiceCIDR): void {
	const cidrs = object.spec?.cidrs ?? [];
	if (cidrs.length === 0) out.push(required('spec.cidrs', 'at least one CIDR required'));
	if (cidrs.length > 2) {
		out.push(invalidValue('spec.cidrs', { CIDRs: cidrs }, 'may only hold up to 2 values'));
		return;
	}
	const [a = '', b] = cidrs.map((cidr) => cidr.split('/')[0] ?? '');
	if (b !== undefined && cidrs.every(isCidr) && isV4(a) === isV4(b))
		out.push(invalidValue('spec.cidrs', cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'));
	for (const [i, cidr] of cidrs.entries()) texts(out, `spec.cidrs[${i}]`, cidr, canonicalCidrComplaints(cidr));
}
