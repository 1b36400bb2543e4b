/** What is wrong with a strategic merge patch, in the words of apimachinery's mergepatch errors; most are answered with a bare 500. */
import { badRequest, StatusError } from '../status.ts';
import { goText, goType } from '../go-values.ts';
import { goString } from './strategic-go-text.ts';

export function failure(message: string): StatusError {
	return new StatusError({ metadata: {}, status: 'Failure', message, code: 500 });
}

export const badRetainKeys = (): StatusError => badRequest('invalid patch format of retainKeys');

export function notList(actual: unknown): StatusError {
	return failure(`expected a []interface {}, but received a ${typeText(actual)}`);
}

export function notMap(actual: unknown): StatusError {
	return failure(`expected a map[string]interface {}, but received a ${typeText(actual)}`);
}

export function badPatchType(directive: unknown, map: object): StatusError {
	return failure(`unknown patch type: ${goString(directive)} in map: ${goText(map)}`);
}

export function noMergeKey(map: object, key: string): StatusError {
	return failure(`map: ${goText(map)} does not contain declared merge key: ${key}`);
}

/** The type of a decoded JSON value, as Go's %s prints it. */
export function typeText(value: unknown): string {
	return value === null || value === undefined ? '%!s(<nil>)' : goType(value);
}
