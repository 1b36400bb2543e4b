/** What the scheduler writes about claims: their devices and users, and the claims that stand for extended resources of a pod. */
import type {
	ContainerExtendedResourceRequest,
	Pod,
	ResourceClaimConsumerReference,
	ResourceResourceClaim,
} from '../../../api/gen/types.ts';
import { CLAIM_PROTECTION } from '../../../api/pod/resource-claims.ts';
import { keyOf, type KubeObject } from '../../../api/resource.ts';
import { PODS, RESOURCE_CLAIMS } from '../../../api/resources.ts';
import { StatusError } from '../../../api/status.ts';
import { timeOf } from '../../../api/time.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';

export type Claim = ResourceResourceClaim & KubeObject;

/** Somebody else changed it meanwhile; so often it is read again (retry.DefaultRetry of upstream's client). */
const ATTEMPTS = 5;

export class ClaimWriter {
	readonly #client: Client;
	readonly #clock: Clock;
	readonly #pod: Pod;

	constructor({ client, clock }: { readonly client: Client; readonly clock: Clock }, pod: Pod) {
		this.#client = client;
		this.#clock = clock;
		this.#pod = pod;
	}

	/** Devices, where it has none yet, and one more user. @param wanted the claim as it should be */
	async reserve(claim: Claim, wanted: Claim, user: ResourceClaimConsumerReference, signal: AbortSignal): Promise<Claim> {
		return this.#retried(claim, signal, async (current, isFirst) => {
			const { namespace = '', name = '', deletionTimestamp } = current.metadata;
			if (deletionTimestamp !== undefined)
				throw new AppError('FailedPrecondition', `claim ${namespace}/${name} got deleted in the meantime`);
			const before = current.status?.allocation;
			const allocation = wanted.status?.allocation;
			if (!isFirst && before !== undefined && devicesOf(before) !== devicesOf(allocation))
				throw new AppError('FailedPrecondition', `claim ${namespace}/${name} got allocated elsewhere in the meantime`);
			const status = isFirst
				? { ...wanted.status }
				: { ...current.status, allocation: before ?? allocation, reservedFor: withUser(current, user) };
			if (status.allocation !== undefined)
				status.allocation = {
					...status.allocation,
					allocationTimestamp: status.allocation.allocationTimestamp ?? timeOf(this.#clock.now()),
				};
			const kept = await this.#protected(current, signal);
			return this.#client.update(RESOURCE_CLAIMS, { ...kept, status } as Claim, { subresource: 'status', signal });
		});
	}

	/** The pod's status says which claim is for what it asks for. */
	async tell({ metadata }: Claim, mappings: readonly ContainerExtendedResourceRequest[], signal: AbortSignal): Promise<void> {
		const extendedResourceClaimStatus = { resourceClaimName: metadata.name ?? '', requestMappings: [...mappings] };
		const body = { status: { extendedResourceClaimStatus } };
		await this.#client.patch(PODS, keyOf(this.#pod), { type: 'strategic', body }, { subresource: 'status', signal });
	}

	/** The pod is its user no more. */
	async leave(claim: Claim, signal: AbortSignal): Promise<void> {
		const body = {
			metadata: { uid: claim.metadata.uid },
			status: { reservedFor: [{ $patch: 'delete', uid: this.#pod.metadata.uid }] },
		};
		await this.#client.patch(RESOURCE_CLAIMS, keyOf(claim), { type: 'strategic', body }, { subresource: 'status', signal });
	}

	/** Protected or not. */
	async remove(claim: Claim, signal: AbortSignal): Promise<void> {
		const freed = await this.#retried(claim, signal, async (current) => {
			const finalizers = (current.metadata.finalizers ?? []).filter((name) => name !== CLAIM_PROTECTION);
			return this.#client.update(RESOURCE_CLAIMS, { ...current, metadata: { ...current.metadata, finalizers } }, { signal });
		});
		await this.#client.delete(RESOURCE_CLAIMS, keyOf(freed), { signal });
	}

	/** The claim as it is once nobody can delete it any more. */
	async #protected(claim: Claim, signal: AbortSignal): Promise<Claim> {
		const { finalizers = [] } = claim.metadata;
		if (finalizers.includes(CLAIM_PROTECTION)) return claim;
		const metadata = { ...claim.metadata, finalizers: [...finalizers, CLAIM_PROTECTION] };
		return this.#client.update(RESOURCE_CLAIMS, { ...claim, metadata }, { signal });
	}

	async #retried(claim: Claim, signal: AbortSignal, write: (current: Claim, isFirst: boolean) => Promise<Claim>): Promise<Claim> {
		let current = claim;
		for (let attempt = 1; ; attempt++)
			try {
				return await write(current, attempt === 1);
			} catch (error) {
				if (!(error instanceof StatusError) || error.httpCode !== 409 || attempt === ATTEMPTS) throw error;
				current = await this.#client.get(RESOURCE_CLAIMS, keyOf(claim), { signal });
			}
	}
}

function devicesOf(allocation: NonNullable<ResourceResourceClaim['status']>['allocation']): string {
	return JSON.stringify((allocation?.devices?.results ?? []).map(({ driver, pool, device, request }) => [driver, pool, device, request]));
}

function withUser({ status }: Claim, user: ResourceClaimConsumerReference): ResourceClaimConsumerReference[] {
	const users = status?.reservedFor ?? [];
	return users.some(({ uid }) => uid === user.uid) ? users : [...users, user];
}
