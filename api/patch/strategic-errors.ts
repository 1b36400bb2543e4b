/** What is wrong with a strategic merge patch, in the words of apimachinery's mergepatch errors; most are answered with a bare 500. */
import { badRequest, StatusError } from '../status.ts';
import { goKind } from '../codec/go-kind.ts';
import { goString, goText } from './strategic-go-text.ts';

const COMPOSITE: Readonly<Record<string, string>> = { slice: '[]interface {}', map: 'map[string]interface {}' };

export function failure(message: string): StatusError {
	return new StatusError({ metadata: {}, status: 'Failure', message, code: 500 });
}

export const badRetainKeys = (): StatusError => badRequest('invalid patch format of retainKeys');

export function notList(actual: unknown): StatusError {
	return failure(`expected a []interface {}, but received a ${goType(actual)}`);
}

export function notMap(actual: unknown): StatusError {
	return failure(`expected a map[string]interface {}, but received a ${goType(actual)}`);
}

export function badPatchType(directive: unknown, map: object): StatusError {
	return failure(`unknown patch type: ${goString(directive)} in map: ${goText(map)}`);
}

export function noMergeKey(map: object, key: string): StatusError {
	return failure(`map: ${goText(map)} does not contain declared merge key: ${key}`);
}

/** Go's type of a decoded JSON value, as %s prints it. */
export function goType(value: unknown): string {
	if (value === null || value === undefined) return '%!s(<nil>)';
	const kind = goKind(value);
	return COMPOSITE[kind] ?? kind;
}
