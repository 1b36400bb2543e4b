/** Writes of the binder; what was written is believed before the informers show it. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from '../../../api/resources.ts';
import { boundClaim, boundVolume, unboundVolume } from '../../../api/storage/bind.ts';
import type { Assumed } from '../../../client/assumed.ts';
import type { Client } from '../../../client/client.ts';
import { claimStatus, type ClaimPhase } from './claim-status.ts';

export type Volume = PersistentVolume & KubeObject;
export type VolumeClaim = PersistentVolumeClaim & KubeObject;
export type VolumePhase = 'Available' | 'Bound' | 'Released' | 'Failed';

interface Deps {
	readonly client: Client;
	readonly volumes: Assumed<Volume>;
	readonly claims: Assumed<VolumeClaim>;
}

export class BindingWrites {
	readonly #deps: Deps;
	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Both halves and both phases, in upstream's order: each step is safe to do again after an interruption. */
	async bind(volume: Volume, claim: VolumeClaim, signal: AbortSignal): Promise<void> {
		const named = await this.updateVolume(volume, boundVolume(volume, claim), signal);
		const bound = await this.volumePhase(named, 'Bound', '', signal);
		const naming = await this.updateClaim(claim, boundClaim(claim, bound), signal);
		await this.claimPhase(naming, 'Bound', bound, signal);
	}

	async unbind(volume: Volume, signal: AbortSignal): Promise<void> {
		await this.volumePhase(await this.updateVolume(volume, unboundVolume(volume), signal), 'Available', '', signal);
	}

	/** Writes what differs; the same object means nothing does. */
	async updateVolume(before: Volume, after: Volume, signal: AbortSignal): Promise<Volume> {
		if (after === before) return before;
		return this.#believedVolume(await this.#deps.client.update(PERSISTENT_VOLUMES, after, { signal }));
	}

	async updateClaim(before: VolumeClaim, after: VolumeClaim, signal: AbortSignal): Promise<VolumeClaim> {
		if (after === before) return before;
		return this.#believedClaim(await this.#deps.client.update(PERSISTENT_VOLUME_CLAIMS, after, { signal }));
	}

	async volumePhase(volume: Volume, phase: VolumePhase, message: string, signal: AbortSignal): Promise<Volume> {
		if (volume.status?.phase === phase) return volume;
		const status = { ...volume.status, phase, message: message === '' ? undefined : message };
		return this.#believedVolume(
			await this.#deps.client.update(PERSISTENT_VOLUMES, { ...volume, status }, { subresource: 'status', signal }),
		);
	}

	async claimPhase(claim: VolumeClaim, phase: ClaimPhase, volume: Volume | undefined, signal: AbortSignal): Promise<VolumeClaim> {
		const status = claimStatus(claim, phase, volume);
		if (status === undefined) return claim;
		return this.#believedClaim(
			await this.#deps.client.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, status }, { subresource: 'status', signal }),
		);
	}

	#believedVolume(volume: Volume): Volume {
		this.#deps.volumes.assume(volume);
		return volume;
	}

	#believedClaim(claim: VolumeClaim): VolumeClaim {
		this.#deps.claims.assume(claim);
		return claim;
	}
}
