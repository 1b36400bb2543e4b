/** The binder: claims get volumes, and volumes whose claim is gone are reclaimed (upstream's PersistentVolumeController). */
import type { Pod, StorageClass } from '../../../api/gen/types.ts';
import { keyOf, type Key, type KubeObject } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../api/resources.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { classOfClaim, defaultClass, waitsForConsumer } from '../../../api/storage/class.ts';
import { findVolume } from '../../../api/storage/match.ts';
import { AppError, ignore } from '../../../base/errors.ts';
import type { Assumed } from '../../../client/assumed.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import type { Again } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { BinderMetrics } from './binder-metrics.ts';
import type { BindingWrites, Volume, VolumeClaim } from './binding-writes.ts';
import { claimStep, type ClaimStep, type Told } from './claim-step.ts';
import { deletionError, provisionedBy, provisionerFor, waitingMessage } from './provisioner.ts';
import { volumeStep } from './volume-step.ts';

type Class = StorageClass & KubeObject;

interface Deps {
	readonly client: Client;
	readonly volumes: Assumed<Volume>;
	readonly claims: Assumed<VolumeClaim>;
	readonly classes: Lister<Class>;
	/** With the index "claim". */
	readonly pods: Lister<Pod & KubeObject>;
	readonly writes: BindingWrites;
	readonly recorder: EventRecorder;
	readonly metrics: BinderMetrics | undefined;
}

/** Upstream's pvClaimBinderSyncPeriod: a claim that waits says so again. */
const AGAIN: Again = { afterMs: 15_000 };

export class Binder {
	readonly #deps: Deps;
	constructor(deps: Deps) {
		this.#deps = deps;
	}

	async claim(key: Key, signal: AbortSignal): Promise<Again | void> {
		const { claims, writes, recorder } = this.#deps;
		const claim = claims.get(key);
		if (claim === undefined) return;
		const step = this.#claimStep(claim);
		switch (step.do) {
			case 'bind':
				return await writes.bind(step.volume, claim, signal);
			case 'setClass':
				return await this.#setClass(claim, step.storageClass, signal);
			case 'provision':
				await this.#provision(claim, signal);
				return AGAIN;
			case 'wait':
				if (step.told !== undefined) this.#tell(claim, step.told);
				await writes.claimPhase(claim, 'Pending', undefined, signal);
				return AGAIN;
			case 'lose':
				if (claim.status?.phase === 'Lost') return;
				this.#tell(await writes.claimPhase(claim, 'Lost', undefined, signal), step.told);
				return;
			case 'retry':
				recorder.event(referenceTo(PERSISTENT_VOLUME_CLAIMS, claim), step.told.type, step.told.reason, step.told.message);
				throw new AppError('FailedPrecondition', step.error);
		}
	}

	async volume(key: Key, signal: AbortSignal): Promise<Again | void> {
		const { volumes, writes, recorder } = this.#deps;
		const volume = volumes.get(key);
		if (volume === undefined) return;
		const claim = await this.#claimOf(volume, signal);
		const step = volumeStep(volume, claim);
		switch (step.do) {
			case 'phase':
				await writes.volumePhase(volume, step.phase, '', signal);
				return;
			case 'unbind':
				return await writes.unbind(volume, signal);
			case 'reclaim':
				return await this.#reclaim(volume, signal);
			case 'claim':
				return claim === undefined ? undefined : await this.claim(keyOf(claim), signal);
			case 'mismatch':
				recorder.event(referenceTo(PERSISTENT_VOLUMES, volume), 'Warning', 'VolumeMismatch', step.told);
				if (claim !== undefined) this.#tell(claim, { type: 'Warning', reason: 'VolumeMismatch', message: step.claimTold });
				return AGAIN;
		}
	}

	#claimStep(claim: VolumeClaim): ClaimStep<Volume, Class> {
		const { volumes, classes, pods } = this.#deps;
		const name = classOfClaim(claim);
		const isDelayed = name !== '' && waitsForConsumer(classes.get(name));
		const key = keyOf(claim);
		return claimStep(claim, {
			named: volumes.get(claim.spec?.volumeName ?? ''),
			isDelayed,
			findMatch: () => findVolume(claim, [...volumes.byIndex('claim', key), ...volumes.byIndex('class', name)], { isDelayed }),
			defaultClass: () => defaultClass(classes.list()),
			waitingPods: () =>
				pods
					.byIndex('claim', key)
					.filter((pod) => !isTerminal(pod) && (pod.spec?.nodeName ?? '') === '')
					.map((pod) => pod.metadata.name ?? ''),
		});
	}

	async #setClass(claim: VolumeClaim, storageClass: Class, signal: AbortSignal): Promise<void> {
		const { writes, metrics } = this.#deps;
		const assigned = { ...claim, spec: { ...claim.spec, storageClassName: storageClass.metadata.name } };
		try {
			await writes.updateClaim(claim, assigned, signal);
		} catch (error) {
			metrics?.retroactiveErrors.inc();
			throw error;
		}
		metrics?.retroactive.inc();
	}

	async #provision(claim: VolumeClaim, signal: AbortSignal): Promise<void> {
		const { classes, writes } = this.#deps;
		const found = provisionerFor(claim, classes.get(classOfClaim(claim)));
		if ('error' in found) return this.#tell(claim, { type: 'Warning', reason: 'ProvisioningFailed', message: found.error });
		const asked = await writes.updateClaim(claim, provisionedBy(claim, found.name), signal);
		this.#tell(asked, { type: 'Normal', reason: 'ExternalProvisioning', message: waitingMessage(found.name) });
	}

	/** The claim the volume names, by name and uid; where the cache has none or another one, the API is asked. */
	async #claimOf(volume: Volume, signal: AbortSignal): Promise<VolumeClaim | undefined> {
		const { namespace, name, uid = '' } = volume.spec?.claimRef ?? {};
		if (uid === '') return undefined;
		const key = keyOf({ metadata: { namespace, name } });
		const cached = this.#deps.claims.get(key);
		if (cached?.metadata.uid === uid) return cached;
		const isDone = volume.status?.phase === 'Released' || volume.status?.phase === 'Failed';
		if (cached === undefined && isDone) return undefined;
		const live = await this.#deps.client.get(PERSISTENT_VOLUME_CLAIMS, key, { signal }).catch(ignore('NotFound'));
		return live?.metadata.uid === uid ? live : undefined;
	}

	async #reclaim(volume: Volume, signal: AbortSignal): Promise<void> {
		const { writes } = this.#deps;
		const { phase } = volume.status ?? {};
		const released = phase === 'Released' || phase === 'Failed' ? volume : await writes.volumePhase(volume, 'Released', '', signal);
		switch (released.spec?.persistentVolumeReclaimPolicy) {
			case 'Retain':
				return;
			case 'Delete': {
				const why = deletionError(released);
				if (why !== undefined) await this.#failVolume(released, 'VolumeFailedDelete', why, signal);
				return;
			}
			case 'Recycle':
				return await this.#failVolume(released, 'VolumeFailedRecycle', 'No recycler plugin found for the volume!', signal);
			default:
				return await this.#failVolume(
					released,
					'VolumeUnknownReclaimPolicy',
					'Volume has unrecognized PersistentVolumeReclaimPolicy',
					signal,
				);
		}
	}

	async #failVolume(volume: Volume, reason: string, message: string, signal: AbortSignal): Promise<void> {
		if (volume.status?.phase === 'Failed') return;
		const failed = await this.#deps.writes.volumePhase(volume, 'Failed', message, signal);
		this.#deps.recorder.event(referenceTo(PERSISTENT_VOLUMES, failed), 'Warning', reason, message);
	}

	#tell(claim: VolumeClaim, { type, reason, message }: Told): void {
		this.#deps.recorder.event(referenceTo(PERSISTENT_VOLUME_CLAIMS, claim), type, reason, message);
	}
}
