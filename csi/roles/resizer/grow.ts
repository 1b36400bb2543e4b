/** Claims that ask for more get it: the driver grows the volume, then the node its file system (external-resizer). Keys are claims. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import { isTerminal } from '../../../api/pod/phase.ts';
import { ceilUnits, compareQuantities, formatQuantity } from '../../../api/quantity.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, PODS } from '../../../api/resources.ts';
import { PRE_RESIZE_CAPACITY } from '../../../api/storage/annotations.ts';
import { AppError, codeOf, messageOf } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Again, Reconcile } from '../../../client/controller.ts';
import { referenceTo } from '../../../client/events.ts';
import { ControllerServiceCapability_RPC_Type as Rpc } from '../../proto.ts';
import type { RoleDeps } from '../role.ts';
import { isFinal } from '../final.ts';
import { credentials } from '../secrets.ts';
import { capabilityOfVolume } from '../volume-capability.ts';
import { markDone, markFailed, markForNode, markResizing } from './claim-status.ts';
import { needsResize, nextSize } from './next-size.ts';

export interface Resizing extends RoleDeps {
	readonly claims: Lister<PersistentVolumeClaim>;
	readonly volumes: Lister<PersistentVolume>;
}

/** A size that the driver calls impossible is asked for again this much later. */
const INFEASIBLE_AGAIN_MS = 300_000;

export function growReconcile(resizing: Resizing): Reconcile {
	const grower = new Grower(resizing);
	return (key, signal) => grower.reconcile(key, signal);
}

class Grower {
	readonly #resizing: Resizing;
	/** Claims whose last try failed for good: another size may be asked for. */
	readonly #failed = new Set<Key>();
	/** Claims that the driver does not grow while they are used. */
	readonly #inUse = new Set<Key>();
	readonly #infeasible = new Map<Key, number>();

	constructor(resizing: Resizing) {
		this.#resizing = resizing;
	}

	async reconcile(key: Key, signal: AbortSignal): Promise<Again | void> {
		const { claims, volumes, driver } = this.#resizing;
		const claim = claims.get(key);
		if (claim === undefined) return this.#forget(key);
		const volumeName = claim.spec?.volumeName ?? '';
		if (volumeName === '') return;
		const volume = volumes.get(volumeName);
		if (volume === undefined) throw new AppError('NotFound', `PV "${volumeName}" bound to pvc "${key}" not found`);
		if (volume.spec?.csi?.driver !== driver.name || volume.spec.claimRef?.uid !== claim.metadata.uid) return;
		if (compareQuantities(claim.status?.capacity?.['storage'] ?? '0', volume.spec.capacity?.['storage'] ?? '0') >= 0)
			await this.#forgetCapacity(volume, signal);
		if (needsResize(claim)) return this.#look(key, volumeName, signal);
	}

	/** As things are: what the caches hold may be older than what was done a moment ago, and growth is not asked for twice. */
	async #look(key: Key, volumeName: string, signal: AbortSignal): Promise<Again | void> {
		const { client, clock } = this.#resizing;
		const claim = await client.get(PERSISTENT_VOLUME_CLAIMS, key, { signal });
		const volume = await client.get(PERSISTENT_VOLUMES, volumeName, { signal });
		if (!needsResize(claim)) return;
		const size = nextSize(claim, volume, this.#failed.has(key));
		if (size === undefined) return;
		const allocated = claim.status?.allocatedResources?.['storage'];
		const again = allocated !== undefined && compareQuantities(allocated, size) === 0;
		if (claim.status?.allocatedResourceStatuses?.['storage'] === 'ControllerResizeInfeasible' && !this.#infeasible.has(key))
			this.#infeasible.set(key, clock.monotonic() + INFEASIBLE_AGAIN_MS);
		const waitMs = (this.#infeasible.get(key) ?? 0) - clock.monotonic();
		if (again && waitMs > 0) return { afterMs: waitMs };
		const marked = await markResizing(this.#resizing, claim, size, !again, signal);
		await this.#requireUnused(key, marked, signal);
		await this.#grow(key, marked, volume, size, signal);
	}

	#forget(key: Key): void {
		this.#failed.delete(key);
		this.#inUse.delete(key);
		this.#infeasible.delete(key);
	}

	async #forgetCapacity(volume: PersistentVolume, signal: AbortSignal): Promise<void> {
		if (volume.metadata.annotations?.[PRE_RESIZE_CAPACITY] === undefined) return;
		const body = { metadata: { annotations: { [PRE_RESIZE_CAPACITY]: null } } };
		await this.#resizing.client.patch(PERSISTENT_VOLUMES, keyOf(volume), { type: 'merge', body }, { signal });
	}

	async #requireUnused(key: Key, claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
		if (!this.#inUse.has(key)) return;
		const { client, driver, recorder } = this.#resizing;
		const { items } = await client.list(PODS, { signal, namespace: claim.metadata.namespace ?? '' });
		const users = items.filter(
			(pod) => !isTerminal(pod) && pod.spec?.volumes?.some((v) => v.persistentVolumeClaim?.claimName === claim.metadata.name),
		);
		if (users.length === 0) return void this.#inUse.delete(key);
		const why = `Unable to expand ${key} because CSI driver ${driver.name} only supports offline expansion and volume is currently in-use`;
		recorder.event(referenceTo(PERSISTENT_VOLUME_CLAIMS, claim), 'Warning', 'VolumeResizeFailed', why);
		throw new AppError('FailedPrecondition', why);
	}

	async #grow(key: Key, claim: PersistentVolumeClaim, volume: PersistentVolume, size: string, signal: AbortSignal): Promise<void> {
		const { recorder, driver } = this.#resizing;
		const about = referenceTo(PERSISTENT_VOLUME_CLAIMS, claim);
		recorder.event(about, 'Normal', 'Resizing', `External resizer is resizing volume ${volume.metadata.name}`);
		this.#inUse.delete(key);
		try {
			const grown = await this.#ask(volume, size, signal);
			this.#failed.delete(key);
			this.#infeasible.delete(key);
			await this.#record(claim, volume, grown, signal);
			if (grown.onNode) {
				await markForNode(this.#resizing, claim, signal);
				recorder.event(about, 'Normal', 'FileSystemResizeRequired', 'Require file system resize of volume on node');
			} else {
				await markDone(this.#resizing, claim, grown.size, signal);
				recorder.event(about, 'Normal', 'VolumeResizeSuccessful', 'Resize volume succeeded');
			}
		} catch (error) {
			signal.throwIfAborted();
			const why = `resize volume "${volume.metadata.name}" by resizer "${driver.name}" failed: ${messageOf(error)}`;
			await this.#note(key, claim, error, signal);
			recorder.event(about, 'Warning', 'VolumeResizeFailed', why);
			throw new AppError(codeOf(error), why, { cause: error });
		}
	}

	async #ask(volume: PersistentVolume, size: string, signal: AbortSignal): Promise<{ readonly size: string; readonly onNode: boolean }> {
		const { client, driver } = this.#resizing;
		const { spec } = volume;
		const csi = spec?.csi;
		// A driver that grows volumes on nodes only.
		if (csi === undefined || !driver.controllerRpcs.has(Rpc.EXPAND_VOLUME)) return { size, onNode: true };
		const answer = await driver.controller.controllerExpandVolume(
			{
				volumeId: csi.volumeHandle,
				capacityRange: { requiredBytes: BigInt(ceilUnits(size)), limitBytes: 0n },
				secrets: await credentials(client, csi.controllerExpandSecretRef, signal),
				volumeCapability: capabilityOfVolume(spec ?? {}, driver.controllerRpcs.has(Rpc.SINGLE_NODE_MULTI_WRITER), ''),
			},
			{ timeoutMs: driver.timeoutMs, signal },
		);
		return {
			size: formatQuantity({ nano: answer.capacityBytes * 1_000_000_000n, format: 'BinarySI' }),
			onNode: answer.nodeExpansionRequired,
		};
	}

	async #record(
		claim: PersistentVolumeClaim,
		volume: PersistentVolume,
		{ size, onNode }: { readonly size: string; readonly onNode: boolean },
		signal: AbortSignal,
	): Promise<void> {
		const before = claim.status?.capacity?.['storage'];
		const mark = onNode && volume.metadata.annotations?.[PRE_RESIZE_CAPACITY] === undefined && before !== undefined;
		const body = {
			...(mark ? { metadata: { annotations: { [PRE_RESIZE_CAPACITY]: before } } } : {}),
			spec: { capacity: { storage: size } },
		};
		await this.#resizing.client.patch(PERSISTENT_VOLUMES, keyOf(volume), { type: 'merge', body }, { signal });
	}

	async #note(key: Key, claim: PersistentVolumeClaim, error: unknown, signal: AbortSignal): Promise<void> {
		const code = codeOf(error);
		if (code === 'FailedPrecondition') this.#inUse.add(key);
		this.#infeasible.delete(key);
		// A growth that ran out of resources may go on.
		if (!isFinal(error) || code === 'ResourceExhausted') return void this.#failed.delete(key);
		this.#failed.add(key);
		const infeasible = code === 'InvalidArgument' || code === 'OutOfRange' || code === 'NotFound';
		if (infeasible) this.#infeasible.set(key, this.#resizing.clock.monotonic() + INFEASIBLE_AGAIN_MS);
		await markFailed(this.#resizing, claim, messageOf(error), infeasible, signal);
	}
}
