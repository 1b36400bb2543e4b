/** Attributes of devices (upstream's validateDeviceAttribute). Lists are of a feature that is off: only slices that have some already keep them. */
import { invalidValue, tooLong } from '../../field-error.ts';
import type { DeviceAttribute } from '../../gen/types.ts';
import { internalForm } from '../../internal/form.ts';
import type { Errors } from '../rule.ts';

const LISTS = ['bools', 'ints', 'strings', 'versions'] as const;
const FORMS = ['int', 'bool', 'string', 'version', ...LISTS] as const;
const MAX_TEXT = 64;
/** Numbers may be of any size. */
const SEMVER =
	/^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

export function attribute(out: Errors, at: string, value: DeviceAttribute): void {
	const given = FORMS.filter((form) => value[form] !== undefined);
	if (value.string !== undefined) text(out, `${at}.string`, value.string);
	if (value.version !== undefined) version(out, `${at}.version`, value.version);
	for (const list of LISTS) if (value[list]?.length === 0) out.push(invalidValue(`${at}.${list}`, [], 'must not be empty if specified'));
	value.strings?.forEach((one, i) => text(out, `${at}.strings[${i}]`, one));
	value.versions?.forEach((one, i) => version(out, `${at}.versions[${i}]`, one));
	if (given.length === 0) out.push(invalidValue(at, '', 'exactly one value must be specified'));
	else if (given.length > 1)
		out.push(invalidValue(at, internalForm('resource/v1.DeviceAttribute', value), 'exactly one value must be specified'));
}

/** Whether it has several values. */
export function isList(value: DeviceAttribute): boolean {
	return LISTS.some((list) => value[list] !== undefined);
}

/** How many it has; each of a list counts. */
export function valuesOf(value: DeviceAttribute): number {
	return LISTS.reduce((sum, list) => sum + (value[list]?.length ?? 0), 0) || 1;
}

function text(out: Errors, path: string, value: string): void {
	if (Buffer.byteLength(value) > MAX_TEXT) out.push(tooLong(path, MAX_TEXT));
}

function version(out: Errors, path: string, value: string): void {
	if (!SEMVER.test(value)) out.push(invalidValue(path, value, 'must be a string compatible with semver.org spec 2.0.0'));
	text(out, path, value);
}
