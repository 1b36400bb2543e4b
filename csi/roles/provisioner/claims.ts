/** Claims that ask for a volume of this driver get one (sig-storage-lib-external-provisioner). Keys are claims. */
import type { PersistentVolumeClaim, StorageClass } from '../../../api/gen/types.ts';
import { keyOf, splitKey, type Key } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../api/resources.ts';
import { BETA_STORAGE_PROVISIONER, SELECTED_NODE, STORAGE_PROVISIONER } from '../../../api/storage/annotations.ts';
import { classOfClaim } from '../../../api/storage/class.ts';
import { AppError, ignore, messageOf } from '../../../base/errors.ts';
import type { Again, Reconcile } from '../../../client/controller.ts';
import { referenceTo } from '../../../client/events.ts';
import { RpcError } from '../../../wire/grpc/status.ts';
import { createVolume } from './create.ts';
import { SNAPSHOT_SOURCE_FINALIZER } from './content-source.ts';
import { ANNOTATION, type Provisioning } from './options.ts';
import { ProvisionError } from './provision-error.ts';
import { volumeName } from './request.ts';
import { removeFinalizer } from '../finalizers.ts';
import { VOLUME_SNAPSHOTS } from '../snapshot-kinds.ts';

/** What a driver calls impossible is asked for again only this much later, or when the class is another. */
const INFEASIBLE_AGAIN_MS = 300_000;

export function claimReconcile(provisioning: Provisioning): Reconcile {
	const provisioner = new Claims(provisioning);
	return (key, signal) => provisioner.reconcile(key, signal);
}

class Claims {
	readonly #provisioning: Provisioning;
	/** Claims for which the driver may be making a volume, also when they are gone: only an answer tells what to delete. */
	readonly #inProgress = new Map<Key, PersistentVolumeClaim>();
	readonly #infeasible = new Map<
		Key,
		{ readonly uid: string | undefined; readonly until: number; readonly classUid: string | undefined }
	>();
	readonly #identity: string;

	constructor(provisioning: Provisioning) {
		this.#provisioning = provisioning;
		const { clock, driver } = provisioning;
		this.#identity = `${clock.now()}-${Math.floor(clock.random() * 10_000)}-${driver.name}`;
	}

	async reconcile(key: Key, signal: AbortSignal): Promise<Again | void> {
		const { listers } = this.#provisioning;
		const begun = this.#inProgress.get(key);
		const current = listers.claims.get(key);
		if (current === undefined) this.#infeasible.delete(key);
		const claim = begun === undefined || begun.metadata.uid === current?.metadata.uid ? current : begun;
		const storageClass = claim === undefined ? undefined : this.#classToUse(claim);
		if (claim === undefined || storageClass === undefined) {
			this.#inProgress.delete(key);
			return;
		}
		const waitMs = this.#waitMs(key, claim, storageClass);
		if (waitMs > 0) return { afterMs: waitMs };
		const { options } = this.#provisioning;
		if (listers.volumes.get(volumeName(options.volumeNamePrefix, claim)) !== undefined) return void this.#inProgress.delete(key);
		await this.#provision(key, claim, storageClass, signal);
		// One that took the name of a claim in progress waits for its turn.
		if (current !== undefined && current.metadata.uid !== claim.metadata.uid) return { afterMs: 1 };
	}

	/** The class of a claim that is ours to provision now. */
	#classToUse(claim: PersistentVolumeClaim): StorageClass | undefined {
		const { driver, listers } = this.#provisioning;
		const { annotations = {} } = claim.metadata;
		if ((claim.spec?.volumeName ?? '') !== '') return undefined;
		const provisioner = annotations[STORAGE_PROVISIONER] ?? annotations[BETA_STORAGE_PROVISIONER];
		if (provisioner !== driver.name && annotations[ANNOTATION.migratedTo] !== driver.name) return undefined;
		const name = classOfClaim(claim);
		const storageClass = listers.classes.get(name);
		if (storageClass === undefined) throw new AppError('NotFound', `storageclass "${name}" not found`);
		if (storageClass.provisioner !== driver.name) return undefined;
		const waits = storageClass.volumeBindingMode === 'WaitForFirstConsumer';
		return waits && (annotations[SELECTED_NODE] ?? '') === '' ? undefined : storageClass;
	}

	#waitMs(key: Key, claim: PersistentVolumeClaim, storageClass: StorageClass): number {
		const slow = this.#infeasible.get(key);
		if (slow === undefined) return 0;
		const waitMs = slow.until - this.#provisioning.clock.monotonic();
		if (waitMs > 0 && slow.uid === claim.metadata.uid && slow.classUid === storageClass.metadata.uid) return waitMs;
		this.#infeasible.delete(key);
		return 0;
	}

	async #provision(key: Key, claim: PersistentVolumeClaim, storageClass: StorageClass, signal: AbortSignal): Promise<void> {
		const { recorder, client } = this.#provisioning;
		const about = referenceTo(PERSISTENT_VOLUME_CLAIMS, claim);
		recorder.event(about, 'Normal', 'Provisioning', `External provisioner is provisioning volume for claim "${keyOf(claim)}"`);
		let volume;
		try {
			volume = await createVolume(this.#provisioning, this.#identity, claim, storageClass, signal);
		} catch (error) {
			signal.throwIfAborted();
			return this.#failed(key, claim, storageClass, error, signal);
		}
		this.#inProgress.set(key, claim); // until it is written down
		try {
			await client.create(PERSISTENT_VOLUMES, volume, { signal }).catch(ignore('AlreadyExists'));
		} catch (error) {
			recorder.event(
				about,
				'Warning',
				'ProvisioningFailed',
				`Error creating provisioned PV object for claim ${keyOf(claim)}: ${messageOf(error)}. Deleting the volume.`,
			);
			throw error;
		}
		this.#inProgress.delete(key);
		recorder.event(about, 'Normal', 'ProvisioningSucceeded', `Successfully provisioned volume ${volume.metadata.name}`);
		await this.#releaseSnapshot(claim, signal);
	}

	async #releaseSnapshot(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
		const { client, log } = this.#provisioning;
		const source = claim.spec?.dataSource;
		if (source?.kind !== 'VolumeSnapshot') return;
		const key = `${claim.metadata.namespace}/${source.name}`;
		try {
			const snapshot = await client.get(VOLUME_SNAPSHOTS, key, { signal });
			await removeFinalizer(client, VOLUME_SNAPSHOTS, snapshot, SNAPSHOT_SOURCE_FINALIZER, signal);
		} catch (error) {
			log.warn('a snapshot keeps its protection', { snapshot: key, reason: messageOf(error) });
		}
	}

	async #failed(key: Key, claim: PersistentVolumeClaim, storageClass: StorageClass, error: unknown, signal: AbortSignal): Promise<void> {
		const { recorder, clock } = this.#provisioning;
		const about = referenceTo(PERSISTENT_VOLUME_CLAIMS, claim);
		const state = error instanceof ProvisionError ? error.state : 'noChange';
		const cause = error instanceof ProvisionError ? error.cause : error;
		if (state === 'ignored') {
			this.#inProgress.delete(key);
			recorder.event(about, 'Normal', 'Provisioning', 'Assuming an external populator will provision the volume');
			return;
		}
		if (state === 'inBackground') this.#inProgress.set(key, claim);
		else if (state !== 'noChange') this.#inProgress.delete(key);
		if (cause instanceof RpcError && cause.code === 'InvalidArgument') {
			const until = clock.monotonic() + INFEASIBLE_AGAIN_MS;
			this.#infeasible.set(key, { uid: claim.metadata.uid, until, classUid: storageClass.metadata.uid });
			const text = `Volume provisioning failed with infeasible error. Retries will be delayed. ${messageOf(error)}`;
			recorder.event(about, 'Warning', 'ProvisioningFailed', text);
			throw error;
		}
		const text = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${messageOf(error)}`;
		recorder.event(about, 'Warning', 'ProvisioningFailed', text);
		if (state === 'reschedule' && (await this.#rescheduled(claim, signal))) return;
		throw error;
	}

	/** Tells the scheduler to choose another node. */
	async #rescheduled(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<boolean> {
		const { client, log } = this.#provisioning;
		if (claim.metadata.annotations?.[SELECTED_NODE] === undefined) return false;
		const { [SELECTED_NODE]: _node, ...annotations } = claim.metadata.annotations;
		const { name } = splitKey(keyOf(claim));
		try {
			await client.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, metadata: { ...claim.metadata, name, annotations } }, { signal });
			return true;
		} catch (error) {
			log.info('a claim keeps its node', { claim: keyOf(claim), reason: messageOf(error) });
			return false;
		}
	}
}
