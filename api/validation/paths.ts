/** File paths inside volumes and profiles. */
import { invalidValue } from '../field-error.ts';
import type { Errors } from './rule.ts';

/** Relative, and never upwards. */
export function descending(out: Errors, path: string, value: string): void {
	if (value.startsWith('/')) out.push(invalidValue(path, value, 'must be a relative path'));
	noBacksteps(out, path, value);
}

export function noBacksteps(out: Errors, path: string, value: string): void {
	if (value.split('/').includes('..')) out.push(invalidValue(path, value, "must not contain '..'"));
}

/** As descending, and not hidden behind a leading "..". */
export function localPath(out: Errors, path: string, value: string): void {
	descending(out, path, value);
	if (value.startsWith('..') && !value.startsWith('../')) out.push(invalidValue(path, value, "must not start with '..'"));
}
