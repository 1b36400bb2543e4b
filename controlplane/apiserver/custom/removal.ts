/**
 * The end of a CustomResourceDefinition: its objects go first, then what holds it, and its condition Terminating says how far that is.
 *
 *   marked -> InstanceDeletionInProgress -> InstanceDeletionCompleted | NeverEstablished | OverlappingBuiltInResource -> gone
 *                       ^ after a back-off  -> InstanceDeletionFailed | InstanceDeletionCheck
 */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { CustomResourceDefinition } from '../../../api/gen/types.ts';
import { keyOf, type KubeObject, type Resource } from '../../../api/resource.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../api/resources.ts';
import { aborted, withDeadline } from '../../../base/abort.ts';
import { aggregated } from '../../../base/aggregate.ts';
import { delayMs } from '../../../base/backoff.ts';
import type { Clock } from '../../../base/clock.ts';
import { codeOf, messageOf } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { ObjectReader, ObjectWriter } from '../contracts.ts';
import { OVERLAPPING } from '../../storage/custom-folder.ts';
import { CLEANUP, isEstablished, withConditions, type Condition } from './conditions.ts';

interface Deps {
	readonly reader: ObjectReader;
	readonly writer: ObjectWriter;
	readonly clock: Clock;
	readonly log: Log;
	/** The resource in the version that is stored, served or not. */
	readonly stored: () => Resource | undefined;
}

type Definition = CustomResourceDefinition & KubeObject;

/** How long objects may take to go before that is said (upstream's crd_finalizer.go). */
const PATIENCE_MS = 60_000;
/** client-go's default for controllers. */
const BACKOFF = { initialMs: 5, maxMs: 1_000_000 };

const type = 'Terminating';
const inProgress: Condition = {
	type,
	status: 'True',
	reason: 'InstanceDeletionInProgress',
	message: 'CustomResource deletion is in progress',
};
const failed = (message: string): Condition => ({ type, status: 'True', reason: 'InstanceDeletionFailed', message });

/**
 * Deletes every object, waits until all are gone, and lets the definition go; one that is gone already is let go. What fails is tried again;
 * rejects when the signal aborts.
 */
export async function removeObjects(name: string, deps: Deps, signal: AbortSignal): Promise<void> {
	const { writer, clock, log } = deps;
	const options = { dryRun: false, signal, tracked: 'status' };
	for (let attempt = 0; ; attempt++) {
		try {
			const marked = await writer.change(CUSTOM_RESOURCE_DEFINITIONS, name, (live) => told(live, inProgress, clock.now()), options);
			if (!isEnding(marked)) return;
			const outcome = OVERLAPPING.has(name) ? OVERLAP : isEstablished(marked) ? await removed(deps, signal) : NEVER;
			const left = await writer.change(CUSTOM_RESOURCE_DEFINITIONS, name, (live) => told(live, outcome, clock.now()), options);
			if (outcome.status === 'False') {
				const { uid, finalizers = [] } = left.metadata;
				// What others hold stays as it is: a second DELETE would be seen.
				if (finalizers.length === 0) await writer.delete(CUSTOM_RESOURCE_DEFINITIONS, name, { preconditions: { uid } }, options);
				return;
			}
		} catch (error) {
			if (codeOf(error) === 'NotFound') return;
			signal.throwIfAborted();
			log.warn('cannot remove custom resources', { definition: name, why: messageOf(error) });
		}
		await clock.sleep(delayMs(BACKOFF, attempt, clock.random()), signal);
	}
}

const NEVER: Condition = { type, status: 'False', reason: 'NeverEstablished', message: 'resource was never established' };
const OVERLAP: Condition = {
	type,
	status: 'False',
	reason: 'OverlappingBuiltInResource',
	message: 'instances overlap with built-in resources in storage',
};

function isEnding({ metadata }: KubeObject): boolean {
	return metadata.deletionTimestamp !== undefined && hasFinalizer({ metadata }, CLEANUP);
}

/** With the condition, and without the finalizer where nothing is left to be done; one that is not to go is left alone. */
function told(live: Definition, outcome: Condition, now: number): Definition {
	if (!isEnding(live)) return live;
	const changed = withConditions(live, [outcome], now) as Definition;
	if (outcome.status === 'True') return changed;
	const { finalizers = [], ...metadata } = changed.metadata;
	const left = finalizers.filter((f) => f !== CLEANUP);
	return { ...changed, metadata: left.length === 0 ? metadata : { ...metadata, finalizers: left } };
}

/** An object that took the place of the one seen is not what was to go. */
const preconditionsOf = ({ metadata: { uid } }: KubeObject): { preconditions: { uid?: string } } => ({
	preconditions: uid === undefined ? {} : { uid },
});

async function removed({ reader, writer, clock, stored }: Deps, signal: AbortSignal): Promise<Condition> {
	const resource = stored();
	const done: Condition = { type, status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' };
	if (resource === undefined) return done;
	let changed = Promise.withResolvers<void>();
	using _following = reader.onChange(resource, () => changed.resolve());
	const failures: unknown[] = [];
	try {
		await reader.readable?.(resource, signal);
		for (const object of reader.list(resource))
			if (object.metadata.deletionTimestamp === undefined)
				await writer.delete(resource, keyOf(object), preconditionsOf(object), { dryRun: false, signal }).catch((error: unknown) => {
					signal.throwIfAborted();
					if (codeOf(error) !== 'NotFound') failures.push(error);
				});
	} catch (error) {
		signal.throwIfAborted();
		return failed(`could not list instances: ${messageOf(error)}`);
	}
	if (failures.length > 0) return failed(`could not issue all deletes: ${messageOf(aggregated(failures))}`);
	using patience = withDeadline(clock, PATIENCE_MS, 'waiting for objects to go', signal);
	while (reader.list(resource).length > 0) {
		await Promise.race([changed.promise, aborted(patience.signal)]);
		signal.throwIfAborted();
		if (patience.signal.aborted)
			return {
				type,
				status: 'True',
				reason: 'InstanceDeletionCheck',
				message: 'could not confirm zero CustomResources remaining: context deadline exceeded',
			};
		changed = Promise.withResolvers<void>();
	}
	return done;
}
