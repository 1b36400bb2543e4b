/** Mirrors Endpoints that people wrote for services without selector into EndpointSlices, which is what consumers read. */
import type { EndpointSlice } from '../../../api/gen/types.ts';
import { keyOf, type Key } from '../../../api/resource.ts';
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../../api/resources.ts';
import type { Clock } from '../../../base/clock.ts';
import { ignore } from '../../../base/errors.ts';
import type { Change } from '../../../client/cache.ts';
import type { Client } from '../../../client/client.ts';
import { keysFrom } from '../../../client/controller.ts';
import { referenceTo, type EventRecorder } from '../../../client/events.ts';
import type { Informers } from '../../../client/informers.ts';
import { perform, serviceKeys } from '../endpointslice/controller.ts';
import { MANAGED_BY_LABEL } from '../endpointslice/plan.ts';
import { Expectations } from '../expectations.ts';
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
	const expectations = new Expectations(clock);
	const ofSlice = ({ before, after }: Change<EndpointSlice>): readonly Key[] => {
		const keys = serviceKeys(after ?? before);
		if (before === undefined) for (const key of keys) expectations.creationObserved(key);
		return keys;
	};
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
			keysFrom(slices, ofSlice),
		],
		async reconcile(key, signal) {
			const own = endpoints.lister.get(key);
			const service = services.lister.get(key);
			const existing = slices.lister.byIndex('service', key);
			if (own === undefined || !isMirrored(own) || service === undefined || service.spec?.selector !== undefined) {
				expectations.forget(key);
				for (const slice of existing) await client.delete(ENDPOINT_SLICES, keyOf(slice), { signal }).catch(ignore('NotFound'));
				return;
			}
			if (!expectations.satisfied(key)) return;
			const { invalid, skipped, ...plan } = planMirror(own, existing);
			const about = referenceTo(ENDPOINTS, own);
			if (invalid > 0)
				recorder.event(about, 'Warning', 'InvalidIPAddress', `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
			if (skipped > invalid)
				recorder.event(
					about,
					'Warning',
					'TooManyAddressesToMirror',
					`A max of ${MAX_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
				);
			await perform(client, expectations, ['Endpoints', key], plan, signal);
		},
	};
}
