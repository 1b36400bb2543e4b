/** Acts on one pod of a StatefulSet and its claims, with events on the set (upstream's StatefulPodControl). */
import type { PersistentVolumeClaim, Pod, StatefulSet } from '../../../api/gen/types.ts';
import { keyOf } from '../../../api/resource.ts';
import { PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '../../../api/resources.ts';
import { allSteps } from '../../../base/aggregate.ts';
import { codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import { claimsOf, ordinalOf, repaired } from './identity.ts';
import { goesWithFormerPod, isSomebodyElses, wantedOwners } from './retention.ts';

interface Deps {
	readonly client: Client;
	readonly claims: Lister<PersistentVolumeClaim>;
	readonly recorder: EventRecorder;
}

export class StatefulPods {
	readonly #deps: Deps;
	/** Claims of which somebody else is the controller: told of once. */
	readonly #conflicting = new Set<string>();
	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Not while a claim of its name goes with the pod before it. */
	async create(set: StatefulSet, pod: Pod, signal: AbortSignal): Promise<void> {
		const { claims, client } = this.#deps;
		const own = claimsOf(set, ordinalOf(set, pod)).map(({ claim }) => claims.get(keyOf(claim)));
		if (own.some((claim) => claim !== undefined && goesWithFormerPod(set, pod, claim))) return;
		await this.#told(set, pod, 'create', async () => {
			await this.ensureClaims(set, pod, signal);
			await client.create(PODS, pod, { signal });
		});
	}

	/** Each is tried; throws what some failed with. */
	async ensureClaims(set: StatefulSet, pod: Pod, signal: AbortSignal): Promise<void> {
		await allSteps(claimsOf(set, ordinalOf(set, pod)).map(({ claim }) => this.#ensureClaim(set, pod, claim, signal)));
	}

	async #ensureClaim(set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
		const { claims, client, recorder } = this.#deps;
		const about = referenceTo(STATEFUL_SETS, set);
		const present = claims.get(keyOf(claim));
		if (present?.metadata.deletionTimestamp !== undefined) throw new Error(`pvc ${claim.metadata.name} is being deleted`);
		if (present !== undefined) return;
		const where = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
		try {
			const made = await client.create(PERSISTENT_VOLUME_CLAIMS, claim, { signal }).catch(ignore('AlreadyExists'));
			if (made !== undefined) recorder.event(about, 'Normal', 'SuccessfulCreate', `Create Claim ${claim.metadata.name} ${where} success`);
		} catch (error) {
			const why = messageOf(error);
			recorder.event(about, 'Warning', 'FailedCreate', `Create Claim ${claim.metadata.name} for ${where} failed error: ${why}`);
			throw new Error(`failed to create PVC ${claim.metadata.name}: ${why}`, { cause: error });
		}
	}

	/** Its labels and volumes, where they are not what they should be. */
	async repair(set: StatefulSet, pod: Pod, signal: AbortSignal): Promise<void> {
		const wanted = repaired(set, pod);
		if (wanted === undefined) return;
		await this.#told(set, pod, 'update', async () => {
			await this.ensureClaims(set, wanted, signal);
			await this.#deps.client.update(PODS, wanted, { signal });
		});
	}

	async delete(set: StatefulSet, pod: Pod, signal: AbortSignal): Promise<void> {
		const { uid = '' } = pod.metadata;
		await this.#told(set, pod, 'delete', () =>
			this.#deps.client.delete(PODS, keyOf(pod), { signal, uid }).catch(ignore('NotFound', 'Aborted')),
		);
	}

	/** Brings the owners of the pod's claims to what the set's policy says. */
	async keepOwners(set: StatefulSet, pod: Pod, signal: AbortSignal): Promise<void> {
		const { claims, client, recorder } = this.#deps;
		for (const { claim } of claimsOf(set, ordinalOf(set, pod))) {
			const present = claims.get(keyOf(claim));
			if (present !== undefined && isSomebodyElses(set, pod, present) && !this.#conflicting.has(keyOf(present))) {
				this.#conflicting.add(keyOf(present));
				const text = `PersistentVolumeClaim ${claim.metadata.name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
				recorder.event(referenceTo(STATEFUL_SETS, set), 'Warning', 'ConflictingController', text);
			}
			const owners = present === undefined ? undefined : wantedOwners(set, pod, present);
			if (present === undefined || owners === undefined) continue;
			const metadata = { ...present.metadata, ownerReferences: [...owners] };
			await client.update(PERSISTENT_VOLUME_CLAIMS, { ...present, metadata }, { signal }).catch(ignore('NotFound'));
		}
	}

	async #told(set: StatefulSet, pod: Pod, verb: 'create' | 'update' | 'delete', work: () => Promise<unknown>): Promise<void> {
		const about = referenceTo(STATEFUL_SETS, set);
		const what = `${verb[0]?.toUpperCase()}${verb.slice(1)}`;
		const text = `${what} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
		try {
			await work();
			this.#deps.recorder.event(about, 'Normal', `Successful${what}`, `${text} successful`);
		} catch (error) {
			// It was made a moment ago: the cache will show it.
			if (verb === 'create' && codeOf(error) === 'AlreadyExists') return;
			this.#deps.recorder.event(about, 'Warning', `Failed${what}`, `${text} failed error: ${messageOf(error)}`);
			throw error;
		}
	}
}
