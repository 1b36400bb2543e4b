/** Claims whose attributes class changes: the driver is asked to change their volumes (external-resizer's modifycontroller). Keys are claims. */
import type { PersistentVolume, PersistentVolumeClaim, VolumeAttributesClass } from '../../../api/gen/types.ts';
import type { Key } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/resources.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Again, Reconcile } from '../../../client/controller.ts';
import { referenceTo } from '../../../client/events.ts';
import { RpcError } from '../../../wire/grpc/status.ts';
import { isFinal } from '../final.ts';
import { credentials } from '../secrets.ts';
import type { Resizing } from './grow.ts';
import { isModifying, markModified, markModifyFailed, markModifying, markPending, markRolledBack } from './modify-status.ts';

export interface Modifying extends Resizing {
	readonly classes: Lister<VolumeAttributesClass>;
	/** --extra-modify-metadata */
	readonly extraMetadata: boolean;
}

const SECRET_NAME = 'volume.kubernetes.io/controller-modify-secret-name';
const SECRET_NAMESPACE = 'volume.kubernetes.io/controller-modify-secret-namespace';
const INFEASIBLE_AGAIN_MS = 300_000;

export function modifyReconcile(modifying: Modifying): Reconcile {
	const modifier = new Modifier(modifying);
	return (key, signal) => modifier.reconcile(key, signal);
}

class Modifier {
	readonly #modifying: Modifying;
	/** Claims whose last change may be under way. Of those that another process began nothing else is known. */
	readonly #certain = new Set<Key>();
	readonly #infeasible = new Map<Key, { readonly target: string; readonly until: number }>();

	constructor(modifying: Modifying) {
		this.#modifying = modifying;
	}

	async reconcile(key: Key, signal: AbortSignal): Promise<Again | void> {
		const { claims, volumes, driver, recorder, clock } = this.#modifying;
		const claim = claims.get(key);
		if (claim === undefined) {
			this.#certain.delete(key);
			this.#infeasible.delete(key);
			return;
		}
		const volume = volumes.get(claim.spec?.volumeName ?? '');
		if (claim.status?.phase !== 'Bound' || volume?.spec?.csi?.driver !== driver.name) return;
		const asked = claim.spec?.volumeAttributesClassName ?? '';
		const status = claim.status.modifyVolumeStatus;
		if (status === undefined && asked === (claim.status.currentVolumeAttributesClassName ?? '')) return;
		const slow = this.#infeasible.get(key);
		if (slow !== undefined && slow.target === asked && slow.until > clock.monotonic()) return { afterMs: slow.until - clock.monotonic() };
		this.#infeasible.delete(key);
		const inProgress = status?.status === 'InProgress';
		const about = referenceTo(PERSISTENT_VOLUME_CLAIMS, claim);
		if (asked === '' && !inProgress) {
			if (!isModifying(claim)) return;
			recorder.event(about, 'Normal', 'VolumeModifyCanceled', 'Cancelled modify.');
			return markRolledBack(this.#modifying, claim, signal);
		}
		const goesOn = inProgress && (asked === '' || !this.#certain.has(key));
		const target = goesOn ? (status.targetVolumeAttributesClassName ?? '') : asked;
		const attributes = this.#modifying.classes.get(target);
		if (attributes === undefined) {
			recorder.event(about, 'Warning', 'VolumeModifyFailed', `VAC "${target}" does not exist.`);
			if (goesOn) throw new AppError('NotFound', `volumeattributesclass "${target}" not found`);
			if (status?.status !== 'Pending') await markPending(this.#modifying, claim, signal);
			return;
		}
		if (goesOn) return this.#modify(key, claim, volume, attributes, signal);
		const marked = await markModifying(this.#modifying, claim, target, signal);
		recorder.event(about, 'Normal', 'VolumeModify', `external resizer is modifying volume ${claim.metadata.name} with vac ${target}`);
		await this.#modify(key, marked, volume, attributes, signal);
	}

	async #modify(
		key: Key,
		claim: PersistentVolumeClaim,
		volume: PersistentVolume,
		attributes: VolumeAttributesClass,
		signal: AbortSignal,
	): Promise<void> {
		const { recorder, clock } = this.#modifying;
		const about = referenceTo(PERSISTENT_VOLUME_CLAIMS, claim);
		const { name: target = '' } = attributes.metadata;
		try {
			await this.#ask(claim, volume, attributes, signal);
		} catch (error) {
			signal.throwIfAborted();
			if (!(error instanceof RpcError)) throw error;
			const final = isFinal(error) && error.code !== 'ResourceExhausted';
			const infeasible = error.code === 'InvalidArgument';
			if (final) this.#certain.add(key);
			else this.#certain.delete(key);
			await markModifyFailed(this.#modifying, claim, error, infeasible, signal);
			if (infeasible) this.#infeasible.set(key, { target, until: clock.monotonic() + INFEASIBLE_AGAIN_MS });
			const more = final ? '' : `. Still modifying to VAC ${target}`;
			recorder.event(about, 'Warning', 'VolumeModifyFailed', `${messageOf(error)}${more}`);
			throw error;
		}
		this.#certain.add(key);
		await markModified(this.#modifying, claim, volume, signal);
		const text = `external resizer modified volume ${claim.metadata.name} with vac ${target} successfully`;
		recorder.event(about, 'Normal', 'VolumeModifySuccessful', text);
	}

	async #ask(
		claim: PersistentVolumeClaim,
		{ metadata, spec }: PersistentVolume,
		{ parameters = {} }: VolumeAttributesClass,
		signal: AbortSignal,
	): Promise<void> {
		const { driver, client, extraMetadata } = this.#modifying;
		const { [SECRET_NAME]: name, [SECRET_NAMESPACE]: namespace } = metadata.annotations ?? {};
		const told = {
			'csi.storage.k8s.io/pvc/name': claim.metadata.name ?? '',
			'csi.storage.k8s.io/pvc/namespace': claim.metadata.namespace ?? '',
			'csi.storage.k8s.io/pv/name': metadata.name ?? '',
		};
		const secrets = await credentials(client, name === undefined ? undefined : { name, namespace }, signal);
		const mutableParameters = { ...parameters, ...(extraMetadata ? told : {}) };
		const request = { volumeId: spec?.csi?.volumeHandle ?? '', secrets, mutableParameters };
		await driver.controller.controllerModifyVolume(request, { timeoutMs: driver.timeoutMs, signal });
	}
}
