/** EndpointSlices: the addresses and ports of the pods that each service selects. */
import type { EndpointSlice, Node, Pod, Service } from '../../../api/gen/types.ts';
import { isNodeReady } from '../../../api/pod/node-ready.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { ENDPOINT_SLICES, NODES, PODS, SERVICES } from '../../../api/resources.ts';
import { ZONE_LABEL } from '../../../api/topology-labels.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError, codeOf, messageOf } from '../../../base/errors.ts';
import type { Change, Lister } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { failureOf } from '../conflicts.ts';
import { TRIGGER_TIME, TriggerTimes } from '../endpoints/trigger-times.ts';
import type { Reconciler } from '../reconciler.ts';
import { wantedEndpoints, withoutNode } from './endpoints.ts';
import { familiesOf } from './family.ts';
import { MANAGED_BY_LABEL, MANAGER, type SlicePlan } from './plan.ts';
import { serviceKeys, SliceTracker } from './tracker.ts';
import { deleteAll, perform } from './writes.ts';
import { ZoneSharing } from './zone-sharing.ts';
import { zoneShares, type ByZone } from './zone-shares.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

/** Upstream's endpointSliceChangeMinSyncDelay: who else writes slices is not fought without a pause. */
const SLICE_CHANGE_MS = 1000;

/** Keys are services. */
export function endpointSliceController({ client, informers, clock, recorder }: Deps): Reconciler {
	const services = informers.get(SERVICES);
	const pods = informers.get(PODS);
	const nodes = informers.get(NODES);
	const slices = informers.get(ENDPOINT_SLICES, { labelSelector: `${MANAGED_BY_LABEL}=${MANAGER}` });
	slices.addIndex('service', (slice) => serviceKeys(slice));
	const tracker = new SliceTracker(clock);
	const times = new TriggerTimes();
	const sharing = new ZoneSharing(recorder);
	const shares = (): ByZone | undefined => zoneShares(nodes.lister.list());
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
			keysFrom(slices, (change) => tracker.changed(change), SLICE_CHANGE_MS),
			keysFrom(nodes, ofNode),
		],
		async reconcile(key, signal) {
			const service = services.lister.get(key);
			if (service === undefined) {
				times.forget(key);
				sharing.forget(key);
				return tracker.forget(key);
			}
			if (!selects(service)) return;
			const all = slices.lister.byIndex('service', key);
			if (tracker.isStale(key, all)) throw new AppError('Aborted', 'EndpointSlice informer cache is out of date');
			const selected = pods.lister.list(service.metadata.namespace).filter((pod) => matches(service, pod));
			// Those that are going may stay so for long.
			const existing = all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
			const families = familiesOf(service);
			const nodeOf = (name: string): Node | undefined => nodes.lister.get(name);
			const about = ['Service', key] as const;
			const triggered = times.next(key, service, selected);
			const failed: unknown[] = [];
			const note = (error: unknown): void => void failed.push(error);
			for (const family of families) {
				const groups = wantedEndpoints(service, selected, nodeOf, family);
				const present = existing.filter((s) => s.addressType === family);
				const plan = sharing.plan(key, service, family, groups, present, shares);
				await perform(client, tracker, about, withTriggerTime(plan, triggered), signal).catch(note);
			}
			const stale = existing.filter((s) => !families.some((family) => s.addressType === family));
			for (const { addressType } of stale) sharing.forgetFamily(key, addressType);
			await deleteAll(client, tracker, about, stale, signal).catch(note);
			if (failed.length > 0) times.undo(key);
			const lost = withoutNode(service, selected, nodeOf);
			// Looked at again, though the node will bring the service, too.
			if (lost.length > 0) failed.push(new AppError('FailedPrecondition', lostMessage(key, lost)));
			if (failed.length === 0) return;
			const error = failureOf(failed);
			// One that another wrote meanwhile is simply looked at again.
			if (codeOf(error) !== 'Aborted')
				recorder.event(
					referenceTo(SERVICES, service),
					...(['Warning', 'FailedToUpdateEndpointSlices'] as const),
					`Error updating Endpoint Slices for Service ${key}: ${messageOf(error)}`,
				);
			throw error;
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
