/** What stands wrong in a KubeletConfiguration: fields that there are none of, values of another kind, values out of their bounds. Pure. */
import { messageOf } from '../../base/errors.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { parseDuration } from '../../api/time.ts';
import { fieldFaults } from './bounds.ts';
import { imageFaults } from './image-settings.ts';
import { resourceFaults } from './resource-faults.ts';
import { placementFaults } from './placement-settings.ts';
import { FIELDS, type FieldKind } from './fields.ts';
import { serverFaults } from './server-settings.ts';
import { nodeFaults } from './node-settings.ts';
import { shutdownFaults } from './shutdown-settings.ts';

export const API_VERSION = 'kubelet.config.k8s.io/v1beta1';
export const KIND = 'KubeletConfiguration';

/** Every fault, each by its field. */
export function faultsOf(config: unknown): readonly string[] {
	const faults = formFaultsOf(config);
	return faults.length > 0 ? faults : boundFaults(config as Record<string, unknown>);
}

/** Of a file that others may complete: fields that there are none of, and values of another kind. */
export function formFaultsOf(config: unknown): readonly string[] {
	const faults = kindFaults(config, FIELDS, '');
	if (faults.length > 0) return faults;
	const { apiVersion, kind } = config as Record<string, unknown>;
	return apiVersion === API_VERSION && kind === KIND
		? []
		: [`it must be kind ${KIND} of ${API_VERSION}, not ${shown(kind)} of ${shown(apiVersion)}`];
}

function kindFaults(value: unknown, kind: FieldKind, path: string): readonly string[] {
	if (value === undefined || value === null) return [];
	const wanted = (what: string): readonly string[] => [`${path === '' ? 'it' : path} must be ${what}, not ${shown(value)}`];
	const eachOf = (item: FieldKind): readonly string[] =>
		isObject(value)
			? Object.entries(value).flatMap(([key, v]) => kindFaults(v, item, path === '' ? key : `${path}.${key}`))
			: wanted('an object');
	switch (kind) {
		case 'bool':
			return typeof value === 'boolean' ? [] : wanted('true or false');
		case 'int':
			return Number.isInteger(value) ? [] : wanted('a whole number');
		case 'number':
			return typeof value === 'number' ? [] : wanted('a number');
		case 'string':
			return typeof value === 'string' ? [] : wanted('a text');
		case 'duration':
			return durationFaults(value, path);
		case 'strings':
			return Array.isArray(value) && value.every((v) => typeof v === 'string') ? [] : wanted('a list of texts');
		case 'objects':
			return Array.isArray(value) && value.every(isObject) ? [] : wanted('a list of objects');
		case 'map':
			return eachOf('string');
		case 'bools':
			return eachOf('bool');
		case 'lists':
			return eachOf('strings');
	}
	if (!isObject(value)) return wanted('an object');
	return Object.entries(value).flatMap(([key, v]) => {
		const at = path === '' ? key : `${path}.${key}`;
		const field = Object.hasOwn(kind, key) ? kind[key] : undefined;
		return field === undefined ? [`unknown field "${at}"`] : kindFaults(v, field, at);
	});
}

function durationFaults(value: unknown, path: string): readonly string[] {
	if (typeof value !== 'string') return [`${path} must be a duration such as "1m30s", not ${shown(value)}`];
	try {
		parseDuration(value);
		return [];
	} catch (error) {
		return [`${path}: ${messageOf(error)}`];
	}
}

/** The bounds that upstream sets to what has an effect here. */
function boundFaults(config: Record<string, unknown>): readonly string[] {
	const faults: string[] = [];
	const between = (field: string, value: unknown, low: number, high: number): void => {
		if (typeof value === 'number' && (value < low || value > high))
			faults.push(`invalid configuration: ${field} ${value} must be between ${low} and ${high}, inclusive`);
	};
	const least = (field: string, value: unknown, low: number): void => {
		if (typeof value === 'number' && value < low) faults.push(`invalid configuration: ${field} ${value} must not be less than ${low}`);
	};
	between('imageGCHighThresholdPercent', config['imageGCHighThresholdPercent'], 0, 100);
	between('imageGCLowThresholdPercent', config['imageGCLowThresholdPercent'], 0, 100);
	const [high = 85, low = 80] = [config['imageGCHighThresholdPercent'], config['imageGCLowThresholdPercent']] as (number | undefined)[];
	if (low >= high)
		faults.push(`invalid configuration: imageGCLowThresholdPercent ${low} must be less than imageGCHighThresholdPercent ${high}`);
	between('port', config['port'], 0, 65_535);
	least('containerLogMaxFiles', config['containerLogMaxFiles'], 2);
	const crash = (config['crashLoopBackOff'] as { readonly maxContainerRestartPeriod?: string } | undefined)?.maxContainerRestartPeriod;
	const crashSeconds = crash === undefined ? 300 : Number(parseDuration(crash)) / 1e9;
	if (crashSeconds < 1 || crashSeconds > 300)
		faults.push(`invalid configuration: crashLoopBackOff.maxContainerRestartPeriod ${crash} must be between 1s and 300s, inclusive`);
	least('containerLogMaxWorkers', config['containerLogMaxWorkers'], 1);
	faults.push(...fieldFaults(config), ...resourceFaults(config), ...nodeFaults(config));
	faults.push(...serverFaults(config), ...shutdownFaults(config), ...imageFaults(config), ...placementFaults(config));
	for (const field of ['containerLogMaxSize'])
		if (config[field] !== undefined) {
			try {
				parseQuantity(config[field] as string);
			} catch {
				faults.push(`invalid configuration: ${field} ${shown(config[field])} is no quantity`);
			}
		}
	return faults;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
	return JSON.stringify(value) ?? 'nothing';
}
