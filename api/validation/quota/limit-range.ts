/** LimitRanges: what a container, a pod or a claim may ask for, and asks for unless it says so (core ValidateLimitRange). */
import { duplicate, fieldForbidden, invalidValue, required } from '../../field-error.ts';
import type { LimitRange, LimitRangeItem } from '../../gen/types.ts';
import { ceilMilli, ceilUnits, compareQuantities } from '../../quantity.ts';
import { qualifiedName } from '../names.ts';
import { NAMESPACED, objectMeta } from '../metadata.ts';
import { containerResourceName, mayOvercommit, resourceName } from '../pod/resources.ts';
import { texts, type Errors } from '../rule.ts';

export function limitRange(out: Errors, object: LimitRange): void {
	objectMeta(out, object.metadata, NAMESPACED);
	limits(out, object);
}

function limits(out: Errors, object: LimitRange): void {
	const types = new Set<string>();
	for (const [i, limit] of (object.spec?.limits ?? []).entries()) {
		const at = `spec.limits[${i}]`;
		const { type = '' } = limit;
		const complaints = qualifiedName(type);
		texts(out, `${at}.type`, type, complaints);
		if (complaints.length === 0 && !type.includes('/') && !['Container', 'Pod', 'PersistentVolumeClaim'].includes(type))
			out.push(invalidValue(`${at}.type`, type, 'must be a standard limit type or fully qualified'));
		if (types.has(type)) out.push(duplicate(`${at}.type`, type));
		types.add(type);
		amounts(out, at, limit);
	}
}

function amounts(out: Errors, at: string, limit: LimitRangeItem): void {
	const { type = '', min = {}, max = {}, maxLimitRequestRatio = {} } = limit;
	const names = new Set<string>();
	const named = (key: string, list: Readonly<Record<string, unknown>>): void => {
		for (const name of Object.keys(list).toSorted()) {
			limitName(out, `${at}.${key}[${name}]`, type, name);
			names.add(name);
		}
	};
	named('max', max);
	named('min', min);
	for (const key of ['default', 'defaultRequest'] as const)
		if (type !== 'Pod') named(key, limit[key] ?? {});
		else if (Object.keys(limit[key] ?? {}).length > 0)
			out.push(fieldForbidden(`${at}.${key}`, "may not be specified when `type` is 'Pod'"));
	if (type === 'PersistentVolumeClaim' && min['storage'] === undefined && max['storage'] === undefined)
		out.push(required(`${at}.limits`, 'either minimum or maximum storage value is required, but neither was provided'));
	named('maxLimitRequestRatio', maxLimitRequestRatio);
	const { default: _d, defaultRequest: _r, ...withoutDefaults } = limit;
	for (const name of names) amountsOf(out, at, name, type === 'Pod' ? withoutDefaults : limit);
}

/** What is said of one resource does not contradict itself. */
function amountsOf(out: Errors, at: string, name: string, limit: LimitRangeItem): void {
	const [lo, hi, lim] = [limit.min?.[name], limit.max?.[name], limit.default?.[name]];
	const [req, ratio] = [limit.defaultRequest?.[name], limit.maxLimitRequestRatio?.[name]];
	const above = (key: string, low: Amount, high: Amount, shown: Amount, text: string): void => {
		if (low !== undefined && high !== undefined && compareQuantities(low, high) > 0)
			out.push(invalidValue(`${at}.${key}[${name}]`, String(shown), text));
	};
	above('min', lo, hi, lo, `min value ${lo} is greater than max value ${hi}`);
	above('defaultRequest', lo, req, req, `min value ${lo} is greater than default request value ${req}`);
	above('defaultRequest', req, hi, req, `default request value ${req} is greater than max value ${hi}`);
	above('defaultRequest', req, lim, req, `default request value ${req} is greater than default limit value ${lim}`);
	above('default', lo, lim, lo, `min value ${lo} is greater than default value ${lim}`);
	above('default', lim, hi, hi, `default value ${lim} is greater than max value ${hi}`);
	if (ratio !== undefined) ratioOf(out, `${at}.maxLimitRequestRatio[${name}]`, ratio, lo, hi);
	if (lim !== undefined && req !== undefined && !mayOvercommit(name) && compareQuantities(lim, req) !== 0)
		out.push(
			invalidValue(
				`${at}.defaultRequest[${name}]`,
				String(req),
				`default value ${lim} must equal to defaultRequest value ${req} in ${name}`,
			),
		);
}

type Amount = string | number | undefined;

function ratioOf(out: Errors, path: string, ratio: string | number, lo: Amount, hi: Amount): void {
	if (compareQuantities(ratio, 1) < 0) out.push(invalidValue(path, String(ratio), `ratio ${ratio} is less than 1`));
	const most = lo === undefined || hi === undefined ? undefined : spread(ratio, lo, hi);
	if (most !== undefined && most.ratio > most.limit)
		out.push(invalidValue(path, String(ratio), `ratio ${ratio} is greater than max/min = ${goFixed(most.limit)}`));
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
	if (type === 'Pod' || type === 'Container') containerResourceName(out, at, name);
	else resourceName(out, at, name);
}

export function limitRangeUpdate(out: Errors, object: LimitRange): void {
	limitRange(out, object);
}
