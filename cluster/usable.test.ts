/** Waiting for what makes a cluster usable, at servers that are on their way. */
import test from 'ava';
import type { Node } from '../api/gen/types.ts';
import { NODES } from '../api/resources.ts';
import { badRequest, serviceUnavailable, type StatusError, timeout } from '../api/status.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import type { Client } from '../client/client.ts';
import { seen } from './usable.ts';

for (const [name, error, waits] of [
	['a server that is not there yet', serviceUnavailable('starting'), true],
	['a server whose cache is behind', timeout('Too large resource version: 225, current: 1', 1), true],
	['a server that will not', badRequest('no'), false],
] as const)
	test(`seen(): ${name} ${waits ? 'is asked again' : 'is no use waiting for'}`, async (t) => {
		const clock = new VirtualClock();
		const waiting = seen(refusingOnce(error), NODES, undefined, 'n1', () => true, new AbortController().signal, clock);
		const outcome = waiting.then(
			() => 'seen',
			(reason: unknown) => reason,
		);
		await clock.advance(1000);
		t.is(await outcome, waits ? 'seen' : error);
	});

/** Watches end with the error at first, and show a node then. */
function refusingOnce(error: StatusError): Client {
	let asked = 0;
	const node: Node = { metadata: { name: 'n1' } };
	async function* watch(): AsyncGenerator<unknown> {
		if (asked++ === 0) throw error;
		yield { type: 'ADDED', object: node };
	}
	return { watch } as unknown as Client;
}
