/** Writes below admission and authorization, for subresources and bootstrap that have done their own checks. */
import { splitKey, type Key, type KubeObject, type Resource } from '../../../api/resource.ts';
import { conflict, notFound, StatusError } from '../../../api/status.ts';
import { codeOf } from '../../../base/errors.ts';
import { shown } from '../answer/objects.ts';
import type { ObjectWriter } from '../contracts.ts';
import type { Draft } from '../strategy/strategy.ts';
import type { Caller, Parts } from './context.ts';
import { checkDeleteRequest, remove, type DeleteRequest } from './delete.ts';
import { ITSELF, OWN_MANAGER } from './itself.ts';
import { storeKey, type Kinds } from './kinds.ts';
import { trackUpdate } from './managed-fields.ts';
import { encodedFor, liveObject } from './stored-object.ts';
import { MODIFIED } from './update.ts';

export function storeWriter(parts: Parts, kinds: Kinds): ObjectWriter {
	const callerOf = (context: { readonly dryRun: boolean; readonly signal: AbortSignal }): Caller => ({
		user: ITSELF,
		manager: OWN_MANAGER,
		options: {},
		warn: () => {},
		...context,
	});
	return {
		async change<T extends KubeObject>(
			resource: Resource<T>,
			key: Key,
			transform: (current: T) => T | Promise<T>,
			options: { readonly dryRun: boolean; readonly signal: AbortSignal; readonly tracked?: string; readonly once?: boolean },
		): Promise<T> {
			const kind = kinds.of(resource);
			const { namespace = '', name } = splitKey(key);
			const at = storeKey(kind, namespace, name);
			for (;;) {
				options.signal.throwIfAborted();
				const entry = parts.store.get(at);
				if (entry === undefined) throw notFound(resource, name);
				const old = await liveObject<T>(parts.parsed, kind, entry, options.signal);
				const next = await transform(old);
				if (next === old) return old;
				const { resourceVersion: _, ...metadata } = next.metadata;
				const { generation, managedFields } = old.metadata;
				if (generation !== undefined) metadata.generation = generation;
				if (managedFields !== undefined) metadata.managedFields = managedFields;
				const draft = { ...next, metadata };
				if (options.tracked !== undefined)
					trackUpdate(kind, draft as unknown as Draft, old as unknown as Draft, options.tracked, callerOf(options), parts.clock.now());
				const value = await encodedFor(kind, draft, options.signal);
				if (options.dryRun) return shown(kind, { value, revision: entry.revision }) as T;
				try {
					const revision = await parts.store.commit([{ key: at, expect: entry.revision, value }], options.signal);
					return shown(kind, { value, revision }) as T;
				} catch (error) {
					if (codeOf(error) !== 'Aborted' || error instanceof StatusError) throw error;
					if (options.once === true) throw conflict(resource, name, MODIFIED);
				}
			}
		},
		async delete<T extends KubeObject>(
			resource: Resource<T>,
			key: Key,
			options: object,
			context: { readonly dryRun: boolean; readonly signal: AbortSignal },
		): Promise<T> {
			const kind = kinds.of(resource);
			const { namespace = '', name } = splitKey(key);
			const request = options as DeleteRequest;
			checkDeleteRequest(request);
			const deleted = await remove(parts, kind, namespace, name, request, callerOf(context), false);
			return shown(kind, deleted.piece) as T;
		},
	};
}
