/** Who writes, as the registry sees it: from the request and its options. */
import type { ApiRequest } from '../contracts.ts';
import type { WriteOptions } from '../request/options.ts';
import type { Caller } from './context.ts';
import type { Kind } from './kinds.ts';
import { managerOf } from './manager.ts';

/** @param served as asked for */
export function callerOf(request: ApiRequest, options: WriteOptions, served?: Kind): Caller {
	const { user, signal, warn } = request;
	const { kind, dryRun, fieldManager, fieldValidation, force } = options;
	const shown = {
		kind,
		apiVersion: 'meta.k8s.io/v1',
		...(dryRun ? { dryRun: ['All'] } : {}),
		...(fieldManager === '' ? {} : { fieldManager }),
		...(kind !== 'PatchOptions' || force === undefined ? {} : { force }),
		fieldValidation,
	};
	const requested = served?.conversion === undefined ? undefined : named(served);
	return { user, dryRun, manager: managerOf(fieldManager, request), options: shown, signal, warn, requested, ...notesOf(request) };
}

/** Where the notes of admission and of the store go; none where nobody writes them down. */
export function notesOf({ audit }: ApiRequest): Pick<Caller, 'annotate' | 'took'> {
	return audit === undefined ? {} : { annotate: (...note) => audit.annotate(...note), took: (layer, ms) => audit.took(layer, ms) };
}

function named({ resource: { group, version, kind, plural } }: Kind): NonNullable<Caller['requested']> {
	return { group, version, kind, resource: plural };
}
