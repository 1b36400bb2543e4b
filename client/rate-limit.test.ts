import test from 'ava';
import { PODS } from '../api/resources.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { FakeTransport } from '../test/fakes/fake-transport.ts';
import { limited } from './rate-limit.ts';
import { createClient } from './rest.ts';

test('a limited client waits for its turns: a burst at once, then at the rate', async (t) => {
	const clock = new VirtualClock();
	const client = createClient(new FakeTransport(clock));
	t.is(limited(client, undefined, clock, 'x'), client);
	const slow = limited(client, { perSecond: 2, burst: 3 }, clock, 'x');
	const from = clock.now();
	const at: number[] = [];
	const all = Promise.all(Array.from({ length: 6 }, () => slow.list(PODS).then(() => at.push(clock.now() - from))));
	await clock.advance(5000);
	await all;
	t.deepEqual(at, [0, 0, 0, 500, 1000, 1500]);
});

test('the turn of a request that was given up goes to the next', async (t) => {
	const clock = new VirtualClock();
	const slow = limited(createClient(new FakeTransport(clock)), { perSecond: 1, burst: 1 }, clock, 'x');
	const from = clock.now();
	await slow.list(PODS);
	const stop = new AbortController();
	const givenUp = t.throwsAsync(slow.list(PODS, { signal: stop.signal }));
	stop.abort(new Error('given up'));
	await givenUp;
	const waiting = slow.list(PODS).then(() => clock.now() - from);
	await clock.advance(5000);
	t.is(await waiting, 1000);
});
