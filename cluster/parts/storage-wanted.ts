/**
 * When somebody wants a volume of the bundled driver: until then neither it nor its roles take memory. What it takes to know is a look at every claim,
 * and at pods while they are pending: some 40 µs of processor time for each change of one.
 */
import { readdir } from 'node:fs/promises';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/gen/types.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS, STORAGE_CLASSES } from '../../api/resources.ts';
import type { KubeObject, Resource } from '../../api/resource.ts';
import { classOfClaim } from '../../api/storage/class.ts';
import { linked } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { ignore, ignoreErrno } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import { reflect } from '../../client/reflector.ts';
import { inlineFolder } from '../../csi/records/node-records.ts';
import { VOLUME_SNAPSHOTS } from '../../csi/roles/snapshot-kinds.ts';
import type { StorageConfig } from './config.ts';

type Wanted = Pick<StorageConfig['driver'], 'driverName' | 'dataDir' | 'nodeId'>;

interface Deps {
	readonly client: Client;
	readonly clock: Clock;
	readonly log: Log;
}

/**
 * Resolves with what it was: a claim of one of the driver's classes, a volume of the driver, a pod that describes one, what is left of such a pod, or any
 * snapshot. Rejects with the signal's reason.
 * @param served the snapshot kinds are there
 */
export async function storageWanted(driver: Wanted, served: Promise<void>, deps: Deps, signal: AbortSignal): Promise<string> {
	const { driverName, dataDir, nodeId } = driver;
	// Of pods that ran before: they are pending no more.
	const [kept] = (await readdir(inlineFolder(dataDir, nodeId)).catch(ignoreErrno('ENOENT'))) ?? [];
	if (kept !== undefined) return `what a pod described, ${kept}`;
	using search = linked(signal);
	const ofClass = async (claim: PersistentVolumeClaim): Promise<boolean> => {
		const name = classOfClaim(claim);
		// One that is bound is seen by its volume.
		if (name === '' || (claim.spec?.volumeName ?? '') !== '') return false;
		const found = await deps.client.get(STORAGE_CLASSES, name, { signal: search.signal }).catch(ignore('NotFound'));
		return found?.provisioner === driverName;
	};
	const ofDriver = async ({ spec }: PersistentVolume): Promise<boolean> => spec?.csi?.driver === driverName;
	const inPod = async ({ spec }: Pod): Promise<boolean> => spec?.volumes?.some(({ csi }) => csi?.driver === driverName) === true;
	try {
		return await Promise.race([
			first(PERSISTENT_VOLUME_CLAIMS, ofClass, deps, search.signal),
			first(PERSISTENT_VOLUMES, ofDriver, deps, search.signal),
			first(PODS, inPod, { ...deps, fieldSelector: 'status.phase=Pending' }, search.signal),
			served.then(() => first(VOLUME_SNAPSHOTS, async () => true, deps, search.signal)),
		]);
	} finally {
		search.abort();
	}
}

/** The first object that is wanted; nothing is kept of those that are not. */
async function first<T extends KubeObject>(
	resource: Resource<T>,
	wanted: (object: T) => Promise<boolean>,
	deps: Deps & { readonly fieldSelector?: string },
	signal: AbortSignal,
): Promise<string> {
	for await (const event of reflect({ ...deps, resource }, signal))
		if ((event.type === 'initApply' || event.type === 'apply') && (await wanted(event.object)))
			return `${resource.kind} ${event.object.metadata.name}`;
	throw signal.reason;
}
