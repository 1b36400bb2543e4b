/** Who writes, as the registry sees it: from the request and its options. */
import type { ApiRequest } from '../contracts.ts';
import type { WriteOptions } from '../request/options.ts';
import type { Caller } from './context.ts';
import { managerOf } from './manager.ts';

export function callerOf(request: ApiRequest, options: WriteOptions): Caller {
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
	return { user, dryRun, manager: managerOf(fieldManager, request), options: shown, signal, warn };
}
