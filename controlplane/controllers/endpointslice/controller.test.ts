/** Writing slices where the namespace takes nothing more. */
import test from 'ava';
import type { EndpointSlice } from '../../../api/gen/types.ts';
import { ENDPOINT_SLICES } from '../../../api/resources.ts';
import { forbidden, StatusError } from '../../../api/status.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import { Expectations } from '../expectations.ts';
import { perform } from './controller.ts';

const denied = forbidden(ENDPOINT_SLICES, 's-', 'no');
const going = new StatusError({ ...denied.status, details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] } });
const slice: EndpointSlice = { metadata: { generateName: 's-', namespace: 'n' }, addressType: 'IPv4', endpoints: [] };

for (const [name, error, retried] of [
	['a namespace that is going takes nothing more: the service is let be', going, false],
	['what is forbidden otherwise is tried again', denied, true],
] as const)
	test(`perform(): ${name}`, async (t) => {
		const client = { create: () => Promise.reject(error) } as unknown as Client;
		const expectations = new Expectations(new VirtualClock());
		const written = perform(client, expectations, 'n/s', { create: [slice], update: [], delete: [] }, new AbortController().signal);
		if (retried) t.is(await t.throwsAsync(written), error);
		else await t.notThrowsAsync(written);
		t.true(expectations.satisfied('n/s'));
	});
