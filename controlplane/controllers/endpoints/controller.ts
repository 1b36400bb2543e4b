/** Endpoints: the older form of EndpointSlices, at most 1000 addresses of the pods that a service selects. */
import type { Endpoints } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { ENDPOINTS, PODS, SERVICES } from '../../../api/resources.ts';
import { matchesLabels } from '../../../api/selector/label.ts';
import { codeOf, ignore, messageOf } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom, type KeySource } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Informer } from '../../../client/informer.ts';
import type { Informers } from '../../../client/informers.ts';
import { servicesOfPod } from '../endpointslice/controller.ts';
import { isNamespaceGoing } from '../namespaced.ts';
import type { Reconciler } from '../reconciler.ts';
import { TriggerTimes } from './trigger-times.ts';
import { isManaged, wantedEndpoints, wantedSubsets } from './wanted.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly recorder: EventRecorder;
}

/** The lock of a leader election, which has no service. */
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
/** The API server's own, which it may make before its service. */
const API_SERVER: Key = 'default/kubernetes';

/** Keys are services. */
export function endpointsController({ client, informers, recorder }: Deps): Reconciler {
	const services = informers.get(SERVICES);
	const pods = informers.get(PODS);
	const endpoints = informers.get(ENDPOINTS);
	const times = new TriggerTimes();
	return {
		sources: [
			keysFrom(services),
			keysFrom(pods, (change) => servicesOfPod(change, services.lister)),
			// Those that are gone come back; those that a service left behind while nobody looked go.
			keysFrom(endpoints, ({ before, after }) =>
				after === undefined
					? before === undefined
						? []
						: [keyOf(before)]
					: isManaged(after) && services.lister.get(keyOf(after)) === undefined
						? [keyOf(after)]
						: [],
			),
			leftOver(endpoints),
		],
		async reconcile(key, signal) {
			const service = services.lister.get(key);
			const present = endpoints.lister.get(key);
			if (service === undefined) {
				times.forget(key);
				if (present === undefined) return;
				// The cache may be behind: only what the server says is gone is gone.
				const live = await client.get(SERVICES, key, { signal }).catch(ignore('NotFound'));
				// Others of its name are another Service's by now.
				const { uid } = present.metadata;
				if (live === undefined) await client.delete(ENDPOINTS, key, { uid, signal }).catch(ignore('NotFound', 'Aborted'));
				return;
			}
			const { selector, type } = service.spec ?? {};
			if (type === 'ExternalName' || selector === undefined || Object.keys(selector).length === 0) return;
			const selected = pods.lister.list(service.metadata.namespace).filter((pod) => matchesLabels(selector, pod.metadata.labels ?? {}));
			const triggered = times.next(key, service, selected);
			const wanted = wantedEndpoints(service, wantedSubsets(service, selected), present, triggered);
			if (wanted === undefined) return;
			try {
				if (present === undefined) await client.create(ENDPOINTS, wanted, { signal });
				else await client.update(ENDPOINTS, wanted, { signal });
			} catch (error) {
				times.undo(key);
				if (isNamespaceGoing(error)) return;
				// The cache is a moment behind: simply looked at again.
				if (codeOf(error) === 'Aborted') throw error;
				const [reason, text] =
					present === undefined
						? ['FailedToCreateEndpoint', `Failed to create endpoint for service ${key}: ${messageOf(error)}`]
						: ['FailedToUpdateEndpoint', `Failed to update endpoint ${key}: ${messageOf(error)}`];
				recorder.event(referenceTo(ENDPOINTS, wanted), 'Warning', reason, text);
				throw error;
			}
		},
	};
}

/** Once, at the start: what services left behind while nobody looked (upstream's checkLeftoverEndpoints). */
function leftOver(endpoints: Informer<Endpoints>): KeySource {
	let look: (key: Key) => void = () => {};
	return {
		async synced(signal) {
			await endpoints.synced(signal);
			for (const one of endpoints.lister.list())
				if (one.metadata.annotations?.[LEADER] === undefined && keyOf(one) !== API_SERVER) look(keyOf(one));
		},
		subscribe(enqueue) {
			look = enqueue;
			return { [Symbol.dispose]: () => undefined };
		},
	};
}
