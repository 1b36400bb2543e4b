/** Events: core/v1 asks little of them, events.k8s.io/v1 much. Both are stored as core's, whose field names errors have. */
import { invalidValue, required } from '../field-error.ts';
import type { Event } from '../gen/types.ts';
import { internalForm } from '../internal/form.ts';
import { dnsSubdomain, qualifiedName } from './names.ts';
import { NAMESPACED, objectMeta, objectMetaUpdate } from './metadata.ts';
import { immutable, same, texts, type Errors } from './rule.ts';

const MAX_NAME = 128;
const MAX_NOTE = 1024;
const tooMany = (limit: number): string => `can have at most ${limit} characters`;
const isSet = (time: string | null | undefined): boolean => time !== undefined && time !== null && time !== '';

export const coreEvent = (out: Errors, event: Event): void => legacy(out, event, 'reportingComponent');
export const coreEventUpdate = coreEvent;

export function newEvent(out: Errors, event: Event): void {
	legacy(out, event, 'reportingController');
	objectMeta(out, event.metadata, NAMESPACED);
	series(out, event);
	if (!isSet(event.eventTime)) out.push(required('eventTime'));
	if (event.type !== 'Normal' && event.type !== 'Warning') out.push(invalidValue('type', '', `has invalid value: ${event.type ?? ''}`));
	for (const key of ['firstTimestamp', 'lastTimestamp'] as const)
		if (isSet(event[key])) out.push(invalidValue(key, '', 'needs to be unset'));
	if ((event.count ?? 0) !== 0) out.push(invalidValue('count', '', 'needs to be unset'));
	if ((event.source?.component ?? '') !== '' || (event.source?.host ?? '') !== '')
		out.push(invalidValue('source', '', 'needs to be unset'));
}

/** In upstream's order, which has the reason twice. */
const FIXED = [
	'involvedObject',
	'reason',
	'message',
	'source',
	'firstTimestamp',
	'lastTimestamp',
	'count',
	'reason',
	'type',
	'eventTime',
] as const;

export function newEventUpdate(out: Errors, event: Event, old: Event): void {
	legacy(out, event, 'reportingController');
	objectMetaUpdate(out, event.metadata, old.metadata);
	if (!same(event.series, old.series)) series(out, event);
	for (const key of [...FIXED, 'action', 'related'] as const) fixed(out, key, event, old);
	immutable(out, 'reportingController', event.reportingComponent, old.reportingComponent);
	immutable(out, 'reportingInstance', event.reportingInstance, old.reportingInstance);
}

function fixed(out: Errors, key: Exclude<keyof Event, number | symbol>, event: Event, old: Event): void {
	if (same(event[key], old[key])) return;
	out.push(invalidValue(key, shown(key, event[key] ?? undefined), 'field is immutable'));
}

const ZEROS: { readonly [key in keyof Event]?: unknown } = {
	firstTimestamp: null,
	lastTimestamp: null,
	eventTime: null,
	count: 0,
	related: null,
};

function shown(key: keyof Event, now: unknown): unknown {
	if (key === 'source') return internalForm('core/v1.EventSource', now as object | undefined);
	if (key === 'involvedObject' || typeof now === 'object') return internalForm('core/v1.ObjectReference', now as object | undefined);
	return now ?? (key in ZEROS ? ZEROS[key] : '');
}

function legacy(out: Errors, event: Event, controller: string): void {
	const { namespace = '' } = event.metadata;
	const involved = event.involvedObject?.namespace ?? '';
	const mismatch = (): void => void out.push(invalidValue('involvedObject.namespace', involved, 'does not match event.namespace'));
	if (!isSet(event.eventTime)) {
		if (involved === '' ? namespace !== '' && namespace !== 'default' : namespace !== involved) mismatch();
	} else {
		if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') mismatch();
		const { reportingComponent = '', reportingInstance = '', action = '', reason = '', message = '' } = event;
		if (reportingComponent === '') out.push(required(controller));
		texts(out, controller, reportingComponent, qualifiedName(reportingComponent));
		for (const [key, value] of Object.entries({ reportingInstance, action, reason })) {
			if (value === '') out.push(required(key));
			if (Buffer.byteLength(value) > MAX_NAME) out.push(invalidValue(key, '', tooMany(MAX_NAME)));
		}
		if (Buffer.byteLength(message) > MAX_NOTE) out.push(invalidValue('message', '', tooMany(MAX_NOTE)));
	}
	texts(out, 'namespace', namespace, dnsSubdomain(namespace));
}

function series(out: Errors, { series: given }: Event): void {
	if (given === undefined || given === null) return;
	if ((given.count ?? 0) < 2) out.push(invalidValue('series.count', '', 'should be at least 2'));
	if (!isSet(given.lastObservedTime)) out.push(required('series.lastObservedTime'));
}
