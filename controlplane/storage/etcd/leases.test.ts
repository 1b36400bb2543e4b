/** Which keys share a lease. */
import test from 'ava';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Endpoints } from './endpoints.ts';
import { Leases } from './leases.ts';

for (const [what, maxShareMs, ttlMs, granted] of [
	['a twentieth of the time to live', undefined, 600_000, [630n]],
	['not over a minute', undefined, 3_600_000, [3660n]],
	['not over what is said', 5000, 3_600_000, [3605n, 3605n]],
	['none where that is said', 0, 3_600_000, [3600n, 3600n, 3600n]],
] as const)
	test(`a lease is shared for ${what}`, async (t) => {
		const asked: bigint[] = [];
		const client = { leaseGrant: ({ TTL }: { readonly TTL: bigint }) => Promise.resolve({ ID: BigInt(asked.push(TTL)) }) };
		const endpoints = { read: (call: (of: typeof client, options: object) => unknown) => call(client, {}) };
		const clock = new VirtualClock(0);
		const leases = new Leases(endpoints as unknown as Endpoints, clock, maxShareMs);
		const ids = [await leases.forTtl(ttlMs)];
		await clock.advance(4000);
		ids.push(await leases.forTtl(ttlMs));
		await clock.advance(4000);
		ids.push(await leases.forTtl(ttlMs));
		t.deepEqual(asked, [...granted]);
		t.is(new Set(ids).size, granted.length);
	});
