/** Mirrors Endpoints that people wrote for services without selector into EndpointSlices, which is what consumers read. */
import { keyOf } from '../../../api/resource.ts';
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { AppError } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { MANAGED_BY_LABEL } from '../endpointslice/plan.ts';
import { serviceKeys, SliceTracker } from '../endpointslice/tracker.ts';
import { deleteAll, perform } from '../endpointslice/writes.ts';
import type { Reconciler } from '../reconciler.ts';
import { isMirrored, MAX_ADDRESSES, MIRRORER, planMirror } from './plan.ts';

interface Deps {
	readonly client: Client;
	readonly informers: Informers;
	readonly clock: Clock;
	readonly recorder: EventRecorder;
}

/** Keys are Endpoints, which are named as their services. */
export function endpointSliceMirroring({ client, informers, clock, recorder }: Deps): Reconciler {
	const services = informers.get(SERVICES);
	const endpoints = informers.get(ENDPOINTS);
	const slices = informers.get(ENDPOINT_SLICES, { labelSelector: `${MANAGED_BY_LABEL}=${MIRRORER}` });
	slices.addIndex('service', (slice) => serviceKeys(slice));
	const tracker = new SliceTracker(clock);
	return {
		sources: [
			keysFrom(services, ({ before, after }) => {
				const [had, has] = [before, after].map((s) => s?.spec?.selector !== undefined);
				const service = after ?? before;
				return service === undefined || (before !== undefined && after !== undefined ? had === has : has === true) ? [] : [keyOf(service)];
			}),
			keysFrom(endpoints, ({ before, after }) =>
				[before, after].some((e) => e !== undefined && isMirrored(e)) ? [keyOf((after ?? before) as NonNullable<typeof after>)] : [],
			),
			keysFrom(slices, (change) => tracker.changed(change)),
		],
		async reconcile(key, signal) {
			const own = endpoints.lister.get(key);
			const service = services.lister.get(key);
			const about = ['Endpoints', key] as const;
			const existing = slices.lister.byIndex('service', key);
			if (own === undefined || !isMirrored(own) || service === undefined || service.spec?.selector !== undefined) {
				tracker.forget(key);
				return deleteAll(client, tracker, about, existing, signal);
			}
			if (tracker.isStale(key, existing)) throw new AppError('Aborted', 'EndpointSlice informer cache is out of date');
			const { invalid, skipped, ...plan } = planMirror(own, existing);
			const mirrored = referenceTo(ENDPOINTS, own);
			if (invalid > 0)
				recorder.event(mirrored, 'Warning', 'InvalidIPAddress', `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
			if (skipped > invalid)
				recorder.event(
					mirrored,
					'Warning',
					'TooManyAddressesToMirror',
					`A max of ${MAX_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
				);
			await perform(client, tracker, about, plan, signal);
		},
	};
}
