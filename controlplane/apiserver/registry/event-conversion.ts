/** Events are served in two versions but stored in one, core/v1. */
import type { KubeObject } from '../../../api/resource.ts';
import type { Converter } from './kinds.ts';

type Fields = Record<string, unknown>;

const zeroOf = (value: unknown): boolean => value === undefined || value === null || value === '' || value === 0;

function renamed(object: KubeObject, apiVersion: string, names: Readonly<Record<string, string>>): KubeObject {
	const out: Fields = {};
	for (const [key, value] of Object.entries(object)) {
		const name = Object.hasOwn(names, key) ? (names[key] as string) : key;
		if (!zeroOf(value) || name === 'metadata') out[name] = value;
	}
	out['apiVersion'] = apiVersion;
	return out as unknown as KubeObject;
}

const TO_CORE = {
	regarding: 'involvedObject',
	note: 'message',
	reportingController: 'reportingComponent',
	deprecatedSource: 'source',
	deprecatedFirstTimestamp: 'firstTimestamp',
	deprecatedLastTimestamp: 'lastTimestamp',
	deprecatedCount: 'count',
};
const FROM_CORE = Object.fromEntries(Object.entries(TO_CORE).map(([a, b]) => [b, a]));

/** Either version has fields that are always written, even empty. */
export const EVENT_CONVERSION: Converter = {
	toStored: (object) => ({
		source: {},
		reportingComponent: '',
		reportingInstance: '',
		involvedObject: {},
		eventTime: null,
		firstTimestamp: null,
		lastTimestamp: null,
		...renamed(object, 'v1', TO_CORE),
	}),
	fromStored: (object) => ({
		eventTime: null,
		regarding: {},
		deprecatedSource: {},
		deprecatedFirstTimestamp: null,
		deprecatedLastTimestamp: null,
		...renamed(object, 'events.k8s.io/v1', FROM_CORE),
	}),
};
