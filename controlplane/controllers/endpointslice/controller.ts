/** EndpointSlices: the addresses and ports of the pods that each service selects. */
import type { EndpointSlice, Node, Pod, Service } from '../../../api/gen/types.ts';
import { isNodeReady } from '../../../api/pod/node-ready.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../../api/resources.ts';
import { ZONE_LABEL } from '../../../api/topology-labels.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError, codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Change, Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { Expectations } from '../expectations.ts';
import { isNamespaceGoing } from '../namespaced.ts';
import { TRIGGER_TIME, TriggerTimes } from '../endpoints/trigger-times.ts';
import type { Reconciler } from '../reconciler.ts';
import { wantedEndpoints, withoutNode } from './endpoints.ts';
import { familiesOf } from './family.ts';
import { MANAGED_BY_LABEL, MANAGER, SERVICE_LABEL, type SlicePlan } from './plan.ts';
import { ZoneSharing } from './zone-sharing.ts';
import { zoneShares, type ByZone } from './zone-shares.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

/** Keys are services. */
export function endpointSliceController({ client, informers, clock, recorder }: Deps): Reconciler {
	const services = informers.get(SERVICES);
	const pods = informers.get(PODS);
	const nodes = informers.get(NODES);
	const slices = informers.get(ENDPOINT_SLICES, { labelSelector: `${MANAGED_BY_LABEL}=${MANAGER}` });
	slices.addIndex('service', (slice) => serviceKeys(slice));
	const expectations = new Expectations(clock);
	const times = new TriggerTimes();
	const sharing = new ZoneSharing(recorder);
	const shares = (): ByZone | undefined => zoneShares(nodes.lister.list());
	const ofSlice = ({ before, after }: Change<EndpointSlice>): readonly Key[] => {
		const keys = serviceKeys(after ?? before);
		if (before === undefined) for (const key of keys) expectations.creationObserved(key);
		return keys;
	};
	/** Pods may be seen before their node, without which they do not count. */
	const ofNode = ({ before, after }: Change<Node>): readonly Key[] => {
		const overloaded = before !== undefined && after !== undefined && !movesZones(before, after) ? [] : sharing.overloaded(shares);
		if (before !== undefined || after === undefined) return overloaded;
		const its = pods.lister.list().filter((pod) => pod.spec?.nodeName === after.metadata.name);
		return [...new Set([...overloaded, ...its.flatMap((pod) => servicesOfPod({ before: pod, after: pod }, services.lister))])];
	};
	return {
		sources: [
			keysFrom(services),
			keysFrom(pods, (change) => servicesOfPod(change, services.lister)),
			keysFrom(slices, ofSlice),
			keysFrom(nodes, ofNode),
		],
		async reconcile(key, signal) {
			const service = services.lister.get(key);
			if (service === undefined) {
				times.forget(key);
				sharing.forget(key);
				return expectations.forget(key);
			}
			if (!selects(service) || !expectations.satisfied(key)) return;
			const selected = pods.lister.list(service.metadata.namespace).filter((pod) => matches(service, pod));
			// Those that are going may stay so for long.
			const existing = slices.lister.byIndex('service', key).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
			const families = familiesOf(service);
			const nodeOf = (name: string): Node | undefined => nodes.lister.get(name);
			const tell = (error: unknown): void =>
				recorder.event(
					referenceTo(SERVICES, service),
					...(['Warning', 'FailedToUpdateEndpointSlices'] as const),
					`Error updating Endpoint Slices for Service ${key}: ${messageOf(error)}`,
				);
			const triggered = times.next(key, service, selected);
			try {
				for (const family of families) {
					const groups = wantedEndpoints(service, selected, nodeOf, family);
					const present = existing.filter((s) => s.addressType === family);
					const plan = sharing.plan(key, service, family, groups, present, shares);
					await perform(client, expectations, ['Service', key], withTriggerTime(plan, triggered), signal);
				}
				const stale = existing.filter((s) => !families.some((family) => s.addressType === family));
				await perform(client, expectations, ['Service', key], { create: [], update: [], delete: stale }, signal);
			} catch (error) {
				times.undo(key);
				// One that another wrote meanwhile is simply looked at again.
				if (codeOf(error) !== 'Aborted') tell(error);
				throw error;
			}
			const lost = withoutNode(service, selected, nodeOf);
			if (lost.length === 0) return;
			const error = new AppError('FailedPrecondition', lostMessage(key, lost));
			tell(error);
			throw error; // looked at again, though the node will bring the service, too
		},
	};
}

function lostMessage(key: Key, lost: readonly Pod[]): string {
	const each = lost.map(({ metadata, spec }) => `skipping Pod ${metadata.name} for Service ${key}: Node ${spec?.nodeName ?? ''} Not Found`);
	return each.length === 1 ? `${each[0]}` : `[${each.join(', ')}]`;
}

/** What changes the share of a zone: upstream looks at no more of a node. */
function movesZones(before: Node, after: Node): boolean {
	return isNodeReady(before) !== isNodeReady(after) || before.metadata.labels?.[ZONE_LABEL] !== after.metadata.labels?.[ZONE_LABEL];
}

/** What is written says since when it is so. */
function withTriggerTime(plan: SlicePlan, triggered: string | undefined): SlicePlan {
	const marked = (slice: EndpointSlice): EndpointSlice => {
		const { [TRIGGER_TIME]: _, ...others } = slice.metadata.annotations ?? {};
		const annotations = triggered === undefined ? others : { ...others, [TRIGGER_TIME]: triggered };
		return { ...slice, metadata: { ...slice.metadata, annotations } };
	};
	return { ...plan, create: plan.create.map(marked), update: plan.update.map(marked) };
}

/** Writes a plan for a Service or for Endpoints; what is created is expected to be seen. AppError Aborted where the cache is a moment behind. */
export async function perform(
	client: Client,
	expectations: Expectations,
	[kind, key]: readonly [kind: 'Service' | 'Endpoints', key: Key],
	plan: SlicePlan,
	signal: AbortSignal,
): Promise<void> {
	const failing = (what: string) => (error: unknown) => {
		throw new AppError(codeOf(error), `failed to ${what} EndpointSlice for ${kind} ${key}: ${messageOf(error)}`, { cause: error });
	};
	if (plan.create.length > 0) expectations.expectCreations(key, plan.create.length);
	for (const slice of plan.create) {
		try {
			await client.create(ENDPOINT_SLICES, slice, { signal });
		} catch (error) {
			expectations.forget(key);
			if (isNamespaceGoing(error)) return; // it takes nothing more
			failing('create')(error);
		}
	}
	for (const slice of plan.update)
		await client
			.update(ENDPOINT_SLICES, slice, { signal })
			.catch(goneMeanwhile)
			.catch(failing(`update ${slice.metadata.name}`));
	for (const slice of plan.delete)
		await client
			.delete(ENDPOINT_SLICES, keyOf(slice), { signal })
			.catch(ignore('NotFound'))
			.catch(failing(`delete ${slice.metadata.name}`));
}

/** A slice that was just deleted may still be in the cache, and so be chosen to be written anew: as a conflict. */
function goneMeanwhile(error: unknown): never {
	throw codeOf(error) === 'NotFound' ? new AppError('Aborted', messageOf(error), { cause: error }) : error;
}

/** The key of the service that the slice is of. */
export function serviceKeys(slice: EndpointSlice | undefined): readonly Key[] {
	const name = slice?.metadata.labels?.[SERVICE_LABEL];
	return name === undefined ? [] : [`${slice?.metadata.namespace}/${name}`];
}

function selects(service: Service): boolean {
	return service.spec?.type !== 'ExternalName' && Object.keys(service.spec?.selector ?? {}).length > 0;
}

function matches(service: Service, pod: Pod): boolean {
	return Object.entries(service.spec?.selector ?? {}).every(([key, value]) => pod.metadata.labels?.[key] === value);
}

/** Services that select the pod, as it is or as it was. */
export function servicesOfPod({ before, after }: Change<Pod>, services: Lister<Service>): readonly Key[] {
	const states = [before, after].filter((pod) => pod !== undefined);
	const namespace = states[0]?.metadata.namespace;
	if (namespace === undefined) return [];
	return services
		.list(namespace)
		.filter((s) => selects(s) && states.some((pod) => matches(s, pod)))
		.map(keyOf);
}
