/** Who writes, as the registry sees it: from the request and its options. */
import type { ApiRequest } from '../contracts.ts';
import type { WriteOptions } from '../request/options.ts';
import type { Caller } from './context.ts';
import type { Kind } from './kinds.ts';
import { managerOf } from './manager.ts';

/** @param served as asked for */
export function callerOf(request: ApiRequest, options: WriteOptions, served?: Kind): Caller {
	const { user, signal, warn, query } = request;
	const { kind, dryRun, fieldManager, force } = options;
	/** As it was given: what is done without is not told. */
	const validation = query.get('fieldValidation') ?? '';
	const shown = {
		kind,
		apiVersion: 'meta.k8s.io/v1',
		...(dryRun ? { dryRun: ['All'] } : {}),
		...(fieldManager === '' ? {} : { fieldManager }),
		...(kind !== 'PatchOptions' || force === undefined ? {} : { force }),
		...(validation === '' ? {} : { fieldValidation: validation }),
	};
	const manager = managerOf(fieldManager, request);
	return { user, dryRun, manager, options: shown, signal, warn, requested: requestedAs(served), ...notesOf(request) };
}

/** Where the notes of admission and of the store go; none where nobody writes them down. */
export function notesOf(request: ApiRequest): Pick<Caller, 'annotate' | 'took'> {
	const { audit } = request;
	const took: Caller['took'] = (layer, ms) => request.took?.(layer, ms);
	return audit === undefined ? { took } : { took, annotate: (...note) => audit.annotate(...note) };
}

/** The resource as the request names it; undefined where it is the one that is stored. */
export function requestedAs(served: Kind | undefined): Caller['requested'] {
	if (served?.conversion === undefined) return undefined;
	const { group, version, kind, plural } = served.resource;
	return { group, version, kind, resource: plural };
}
