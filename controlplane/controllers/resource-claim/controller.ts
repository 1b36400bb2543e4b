/** Claims of devices: made for pods from templates, reserved for pods that were given a node by hand, freed when their pods have ended (upstream's pkg/controller/resourceclaim). */
import { hasFinalizer } from '../../../api/finalizers.ts';
import type { Pod, PodResourceClaim, ResourceClaimConsumerReference, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { canBeReserved, CLAIM_PROTECTION, isClaimOf, isReservedFor, podClaimsOf, type PodClaim } from '../../../api/pod/resource-claims.ts';
import { keyOf, type Key, type KubeObject } from '../../../api/resource.ts';
import { PODS, RESOURCE_CLAIM_TEMPLATES, RESOURCE_CLAIMS } from '../../../api/resources.ts';
import { AppError, ignore, messageOf } from '../../../base/errors.ts';
import type { Registry } from '../../../base/metrics.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { ownerKey } from '../interest.ts';
import { controllerOf } from '../owned.ts';
import type { Reconciler } from '../reconciler.ts';
import { claimMetrics } from './metrics.ts';
import { claimFrom, isDone, isPod, POD_CLAIM } from './plan.ts';

type Claim = ResourceResourceClaim & KubeObject;

const MANAGER = 'ResourceClaimController';
/** Keys are of pods and of claims. */
const POD = 'pod:';
const CLAIM = 'claim:';

function claimsUsed(pod: Pod): readonly Key[] {
	return podClaimsOf(pod).flatMap(({ name }) => (name === undefined ? [] : [`${pod.metadata.namespace ?? ''}/${name}`]));
}

function extendedClaim({ metadata, status }: Pod): readonly Key[] {
	const name = status?.extendedResourceClaimStatus?.resourceClaimName;
	return name === undefined ? [] : [`${metadata.namespace ?? ''}/${name}`];
}

export function resourceClaims(client: Client, informers: Informers, recorder: EventRecorder, metrics?: Registry): Reconciler {
	const pods = informers.get(PODS);
	const claims = informers.get(RESOURCE_CLAIMS);
	const templates = informers.get(RESOURCE_CLAIM_TEMPLATES);
	const count = metrics === undefined ? undefined : claimMetrics(metrics, () => claims.lister.list());
	pods.addIndex('resource-claim', (pod) => claimsUsed(pod));

	const ofPod = ({ before, after }: Change<Pod & KubeObject>): readonly Key[] => {
		const pod = after ?? before;
		if (pod === undefined) return [];
		// What it used is let go of once it will not run any more.
		const freed = after === undefined || isDone(after) ? [...claimsUsed(pod), ...extendedClaim(pod)].map((key) => CLAIM + key) : [];
		return after === undefined || (pod.spec?.resourceClaims ?? []).length === 0 ? freed : [`${POD}${keyOf(pod)}`, ...freed];
	};
	/** A claim that is gone is made anew while its pod lives; one that is given may be waited for. */
	const ofClaim = ({ before, after }: Change<Claim>): readonly Key[] => {
		const claim = after ?? before;
		if (claim === undefined) return [];
		const owner = ownerKey(claim, PODS.kind);
		const users = new Set(pods.lister.byIndex('resource-claim', keyOf(claim)).map(keyOf));
		if (owner !== undefined) users.add(owner);
		return [...(after === undefined ? [] : [`${CLAIM}${keyOf(claim)}`]), ...[...users].map((user) => `${POD}${user}`)];
	};
	const ofTemplate = ({ after }: Change<KubeObject>): readonly Key[] =>
		after === undefined
			? []
			: pods.lister
					.list(after.metadata.namespace)
					.filter((pod) => (pod.spec?.resourceClaims ?? []).some((c) => c.resourceClaimTemplateName === after.metadata.name))
					.map((pod) => `${POD}${keyOf(pod)}`);

	/** The name of the claim that the pod's status is to tell; undefined where that is told already or none is made. */
	async function ensure(pod: Pod & KubeObject, { spec, name, awaited }: PodClaim, signal: AbortSignal): Promise<string | undefined> {
		if (spec.resourceClaimTemplateName === undefined || (name === undefined && !awaited)) return undefined;
		const { namespace = '' } = pod.metadata;
		const present = name === undefined ? undefined : claims.lister.get(`${namespace}/${name}`);
		if (present !== undefined && isClaimOf(pod, present)) return undefined;
		const made = madeFor(pod, spec) ?? (await create(pod, spec, spec.resourceClaimTemplateName, signal));
		return made.metadata.name;
	}

	function madeFor(pod: Pod, { name }: PodResourceClaim): Claim | undefined {
		return claims.lister.list(pod.metadata.namespace).find((c) => isClaimOf(pod, c) && c.metadata.annotations?.[POD_CLAIM] === name);
	}

	async function create(pod: Pod & KubeObject, spec: PodResourceClaim, templateName: string, signal: AbortSignal): Promise<Claim> {
		const template = templates.lister.get(`${pod.metadata.namespace ?? ''}/${templateName}`);
		if (template === undefined)
			throw new AppError(
				'NotFound',
				`resource claim template "${templateName}": resourceclaimtemplate.resource.k8s.io "${templateName}" not found`,
			);
		const claim = claimFrom(template, pod, spec);
		try {
			const made = await client.create(RESOURCE_CLAIMS, claim, { signal });
			count?.(claim, 'success');
			return made;
		} catch (error) {
			count?.(claim, 'failure');
			throw error;
		}
	}

	async function syncPod(pod: Pod & KubeObject, signal: AbortSignal): Promise<void> {
		const made = new Map<string, string>();
		try {
			await ensureAll(pod, made, signal);
		} finally {
			// Also before a failure: what was made is told, else it would be made again.
			if (made.size > 0) await tell(pod, made, signal);
		}
		if ((pod.spec?.nodeName ?? '') !== '') await reserveAll(pod, signal);
	}

	/** @param made gets names of claims by those that the pod has for them */
	async function ensureAll(pod: Pod & KubeObject, made: Map<string, string>, signal: AbortSignal): Promise<void> {
		for (const claim of podClaimsOf(pod))
			try {
				const name = await ensure(pod, claim, signal);
				if (name !== undefined) made.set(claim.spec.name, name);
			} catch (error) {
				const message = `PodResourceClaim ${claim.spec.name}: ${messageOf(error)}`;
				recorder.event(referenceTo(PODS, pod), 'Warning', 'FailedResourceClaimCreation', message);
				throw error;
			}
	}

	/** All that the status is to say: what is not applied again is removed. */
	async function tell(pod: Pod & KubeObject, made: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
		const { namespace, name, uid } = pod.metadata;
		const resourceClaimStatuses = podClaimsOf(pod).flatMap(({ spec, name: told, own }) => {
			const resourceClaimName = made.get(spec.name) ?? told;
			return own && resourceClaimName !== undefined ? [{ name: spec.name, resourceClaimName }] : [];
		});
		const body = { apiVersion: 'v1', kind: PODS.kind, metadata: { namespace, name, uid }, status: { resourceClaimStatuses } };
		await client.patch(PODS, keyOf(pod), { type: 'apply', body, force: true }, { subresource: 'status', fieldManager: MANAGER, signal });
	}

	/** For a pod that no scheduler has placed. */
	async function reserveAll(pod: Pod & KubeObject, signal: AbortSignal): Promise<void> {
		const { namespace = '', name = '', uid = '' } = pod.metadata;
		for (const { name: claimName, own } of podClaimsOf(pod)) {
			const claim = claimName === undefined ? undefined : claims.lister.get(`${namespace}/${claimName}`);
			if (claim?.status?.allocation === undefined || isReservedFor(pod, claim) || !canBeReserved(claim) || isDone(pod)) continue;
			if (own && !isClaimOf(pod, claim)) continue;
			const reservedFor = [...(claim.status.reservedFor ?? []), { resource: PODS.plural, name, uid }];
			await client.update(RESOURCE_CLAIMS, { ...claim, status: { ...claim.status, reservedFor } }, { subresource: 'status', signal });
		}
	}

	async function uses(claim: Claim, user: ResourceClaimConsumerReference, signal: AbortSignal): Promise<boolean> {
		if (!isPod(user)) return true;
		const key = `${claim.metadata.namespace ?? ''}/${user.name}`;
		// The cache may be behind who reserved it.
		const pod = pods.lister.get(key) ?? (await client.get(PODS, key, { signal }).catch(ignore('NotFound')));
		return pod !== undefined && pod.metadata.uid === user.uid && !isDone(pod);
	}

	async function syncClaim(claim: Claim, signal: AbortSignal): Promise<void> {
		const users = claim.status?.reservedFor ?? [];
		const kept = await Promise.all(users.map((user) => uses(claim, user, signal)));
		const reservedFor = users.filter((_, i) => kept[i]);
		const isProtected = hasFinalizer(claim, CLAIM_PROTECTION);
		const freed = reservedFor.length === 0 && isProtected && (users.length > 0 || claim.metadata.deletionTimestamp !== undefined);
		if (reservedFor.length < users.length || (freed && claim.status?.allocation !== undefined)) {
			const { allocation, reservedFor: _, ...rest } = claim.status ?? {};
			const status = {
				...rest,
				...(freed || allocation === undefined ? {} : { allocation }),
				...(reservedFor.length === 0 ? {} : { reservedFor }),
			};
			const written = await client.update(RESOURCE_CLAIMS, { ...claim, status }, { subresource: 'status', signal });
			if (freed) await unprotect(written as Claim, signal);
		} else if (freed) await unprotect(claim, signal);
		if (reservedFor.length === 0) await removeUnused(claim, signal);
	}

	async function unprotect(claim: Claim, signal: AbortSignal): Promise<void> {
		const finalizers = (claim.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLAIM_PROTECTION);
		await client.update(RESOURCE_CLAIMS, { ...claim, metadata: { ...claim.metadata, finalizers } }, { signal });
	}

	/** What was made for a pod goes with its end; with its deletion the garbage collector takes it. */
	async function removeUnused(claim: Claim, signal: AbortSignal): Promise<void> {
		const owner = controllerOf(claim);
		const pod = owner?.kind === PODS.kind ? pods.lister.get(`${claim.metadata.namespace ?? ''}/${owner.name}`) : undefined;
		if (owner === undefined || pod === undefined || (pod.metadata.uid === owner.uid && !isDone(pod))) return;
		const uid = claim.metadata.uid ?? '';
		await client.delete(RESOURCE_CLAIMS, keyOf(claim), { uid, signal }).catch(ignore('NotFound'));
	}

	return {
		sources: [keysFrom(pods, ofPod), keysFrom(claims, ofClaim), keysFrom(templates, ofTemplate)],
		async reconcile(key, signal) {
			if (key.startsWith(CLAIM)) {
				const claim = claims.lister.get(key.slice(CLAIM.length));
				if (claim !== undefined) await syncClaim(claim, signal);
				return;
			}
			const pod = pods.lister.get(key.slice(POD.length));
			if (pod !== undefined && pod.metadata.deletionTimestamp === undefined) await syncPod(pod, signal);
		},
	};
}
