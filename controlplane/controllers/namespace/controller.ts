/** Namespaces: one that is being deleted is emptied in order, says how far it is, and goes when nothing is left. */
import type { Namespace } from '../../../api/gen/types.ts';
import { keyOf, type Key, type KubeObject } from '../../../api/resource.ts';
import { NAMESPACES, PODS } from '../../../api/resources.ts';
import { timeOf } from '../../../api/time.ts';
import { sameButNulls } from '../../../api/same-json.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError, ignore, messageOf } from '../../../base/errors.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom, type Again } from '../../../client/controller.ts';
import type { Informers } from '../../../client/informers.ts';
import { discoverFresh, type Discovered } from '../discovered.ts';
import type { Reconciler } from '../reconciler.ts';
import { discoveryFailure, terminatingConditions, type Progress } from './conditions.ts';
import { deleteContent } from './content.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
}

/** Removed by this controller when the namespace is empty. */
const FINALIZER = 'kubernetes';
/** How often to look whether others have removed their finalizers from the last objects. */
const RECHECK_MS = 1000;

export function namespaceController({ client, informers, clock }: Deps): Reconciler {
	const namespaces = informers.get(NAMESPACES);
	const pods = informers.get(PODS);
	const terminating = (key: Key): boolean => namespaces.lister.get(key)?.metadata.deletionTimestamp !== undefined;
	const emptied = ({ before, after }: Change<KubeObject>): readonly Key[] => {
		const namespace = before?.metadata.namespace;
		return after === undefined && namespace !== undefined && terminating(namespace) ? [namespace] : [];
	};
	return {
		sources: [keysFrom(namespaces, changedNamespace), keysFrom(pods, emptied)],
		async reconcile(key, signal) {
			if (!isToBeEmptied(namespaces.lister.get(key))) return;
			// The cache may be behind: one that was made again under the name keeps what it holds.
			const namespace = await client.get(NAMESPACES, key, { signal }).catch(ignore('NotFound'));
			if (isToBeEmptied(namespace)) return empty(client, clock, namespace, signal);
		},
	};
}

/** Not where only its status changed: what this controller writes itself would be looked at again at once, past any back-off. */
function changedNamespace({ before, after }: Change<Namespace>): readonly Key[] {
	if (after === undefined || (before !== undefined && sameButNulls(asked(before), asked(after)))) return [];
	return [keyOf(after)];
}

/** What is asked of this controller. */
function asked({ metadata, spec }: Namespace): readonly unknown[] {
	return [metadata.uid, metadata.deletionTimestamp, metadata.finalizers, spec?.finalizers];
}

function isToBeEmptied(namespace: Namespace | undefined): namespace is Namespace {
	return namespace?.metadata.deletionTimestamp !== undefined && (namespace.spec?.finalizers ?? []).includes(FINALIZER);
}

async function empty(client: Client, clock: Clock, namespace: Namespace, signal: AbortSignal): Promise<Again | void> {
	const name = namespace.metadata.name ?? '';
	const now = timeOf(clock.now());
	let found: Discovered;
	try {
		found = await discoverFresh(client, signal);
	} catch (error) {
		await writeStatus(
			client,
			namespace,
			{ discoveryError: messageOf(error), contentErrors: [], remaining: new Map(), finalizers: new Map() },
			now,
			signal,
		);
		throw error;
	}
	const deletedMs = clock.now() - Date.parse(namespace.metadata.deletionTimestamp ?? '');
	const content = await deleteContent(client, name, found.resources, { deletedMs }, signal);
	const discoveryError = discoveryFailure(found.stale);
	const progress = { ...content, ...(discoveryError === undefined ? {} : { discoveryError }) };
	// Also of what is gone: others may hold the namespace still.
	const written = await writeStatus(client, namespace, progress, now, signal);
	if (progress.remaining.size > 0 || progress.contentErrors.length > 0 || discoveryError !== undefined) {
		// What those servers hold of it is not known: it stays until they can be asked, or are unregistered.
		if (discoveryError !== undefined) throw new AppError('Unavailable', `Cannot empty namespace "${name}": ${discoveryError}`);
		if (progress.contentErrors.length > 0) throw new Error(`Cannot empty namespace "${name}": ${progress.contentErrors.join(', ')}`);
		return { afterMs: RECHECK_MS * Math.max(1, Math.floor(progress.graceSeconds / 2)) };
	}
	if (written === undefined) return { afterMs: RECHECK_MS };
	const finalizers = (written.spec?.finalizers ?? []).filter((f) => f !== FINALIZER);
	await client
		.update(NAMESPACES, { ...written, spec: { ...written.spec, finalizers } }, { subresource: 'finalize', signal })
		.catch(ignore('NotFound'));
}

/** The namespace as it is afterwards; undefined where somebody else was faster. */
async function writeStatus(
	client: Client,
	namespace: Namespace,
	progress: Progress,
	now: string,
	signal: AbortSignal,
): Promise<Namespace | undefined> {
	const conditions = [...terminatingConditions(namespace.status?.conditions ?? [], progress, now)];
	const status = { ...namespace.status, phase: 'Terminating', conditions };
	if (sameButNulls(status, namespace.status)) return namespace;
	return await client.update(NAMESPACES, { ...namespace, status }, { subresource: 'status', signal }).catch(ignore('NotFound', 'Aborted'));
}
