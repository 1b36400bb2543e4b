/** Endpoints: the older form of EndpointSlices, at most 1000 addresses of the pods that a service selects. */
import { keyOf } from '../../../api/resource.ts';
import { ENDPOINTS, PODS, SERVICES } from '../../../api/resources.ts';
import { matchesLabels } from '../../../api/selector/label.ts';
import { ignore, messageOf } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
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
		],
		async reconcile(key, signal) {
			const service = services.lister.get(key);
			const present = endpoints.lister.get(key);
			if (service === undefined) {
				times.forget(key);
				if (present !== undefined) await client.delete(ENDPOINTS, key, { signal }).catch(ignore('NotFound'));
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
