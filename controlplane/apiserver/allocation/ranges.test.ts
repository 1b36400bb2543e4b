/** Which ranges addresses come from: those of ServiceCIDRs that are ready and stay, whatever the server was told at its start. */
import test from 'ava';
import type { ServiceSpec } from '../../../api/gen/types.ts';
import { IP_ADDRESSES, SERVICE_CIDRS, SERVICES } from '../../../api/resources.ts';
import { messageOf } from '../../../base/errors.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { eventually } from '../../../test/tools/eventually.ts';

interface World {
	readonly clock: VirtualClock;
	readonly client: Client;
	/** The address that a new Service gets, or why it gets none. */
	readonly address: (name: string, spec?: Partial<ServiceSpec>) => Promise<string>;
	readonly ready: (range: string, status: string | undefined) => Promise<unknown>;
}

/** Servers on one store, one after the other. */
async function inTurn(...turns: readonly (readonly [serviceCidr: string, work: (world: World) => Promise<void>])[]): Promise<void> {
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	for (const [serviceCidr, work] of turns) {
		const stop = new AbortController();
		const { client, stopped } = await testApiServer({ clock, log: noLog, store, standard: { serviceCidr } }, stop.signal);
		const address: World['address'] = async (name, spec = {}) => {
			const service = { metadata: { name, namespace: 'default' }, spec: { ports: [{ port: 80 }], ...spec } };
			return client.create(SERVICES, service).then(({ spec: made }) => made?.clusterIP ?? '', messageOf);
		};
		const ready: World['ready'] = (range, status) => {
			const conditions = [{ type: 'Ready', status, reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }];
			const body = { status: { conditions: status === undefined ? null : conditions } };
			return client.patch(SERVICE_CIDRS, range, { type: 'merge', body }, { subresource: 'status' });
		};
		try {
			await work({ clock, client, address, ready });
		} finally {
			stop.abort();
			await stopped;
		}
	}
}

const FULL = 'Internal error occurred: failed to allocate a serviceIP: range is full';
const MISMATCH = /failed to allocate IP 10\.0\.0\.99: the provided network does not match the current range$/;
const second = { metadata: { name: 'second' }, spec: { cidrs: ['10.1.0.0/24'] } };
/** Holds a range as the controller of ServiceCIDRs does while it has addresses. */
const HELD = { metadata: { finalizers: ['networking.k8s.io/service-cidr-finalizer'] } };

for (const [status, isUsed] of [
	['True', true],
	[undefined, true],
	['False', false],
	['Unknown', false],
] as const)
	test(`the default range whose condition Ready is ${status ?? 'absent'} ${isUsed ? 'gives' : 'does not give'} addresses`, async (t) => {
		await inTurn([
			'10.0.0.0/24',
			async ({ address, ready }) => {
				await ready('kubernetes', status);
				const [any, one] = [await address('any'), await address('one', { clusterIP: '10.0.0.99' })];
				if (isUsed) {
					t.regex(any, /^10\.0\.0\.\d+$/);
					t.is(one, '10.0.0.99');
				} else {
					t.is(any, FULL);
					t.regex(one, MISMATCH);
				}
			},
		]);
	});

test('while the default range goes, addresses come from another one, and those it gave are given back', async (t) => {
	await inTurn([
		'10.0.0.0/24',
		async ({ client, address }) => {
			const old = await address('old');
			t.regex(old, /^10\.0\.0\.\d+$/);
			await client.patch(SERVICE_CIDRS, 'kubernetes', { type: 'merge', body: HELD });
			await client.delete(SERVICE_CIDRS, 'kubernetes');
			t.is(await address('early'), FULL);
			await client.create(SERVICE_CIDRS, second);
			t.regex(await address('late'), /^10\.1\.0\.\d+$/);
			t.regex(await address('one', { clusterIP: '10.0.0.99' }), MISMATCH);
			const kept = await client.patch(SERVICES, 'default/old', { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
			t.is(kept.spec?.clusterIP, old);
			await client.delete(SERVICES, 'default/old');
			await t.throwsAsync(client.get(IP_ADDRESSES, old), { message: /not found/ });
		},
	]);
});

test('a range that two objects name gives addresses while one of them is ready', async (t) => {
	await inTurn([
		'10.0.0.0/24',
		async ({ client, address, ready }) => {
			await client.create(SERVICE_CIDRS, { metadata: { name: 'again' }, spec: { cidrs: ['10.0.0.0/24'] } });
			await ready('kubernetes', 'False');
			t.regex(await address('a'), /^10\.0\.0\.\d+$/);
			await ready('again', 'False');
			t.is(await address('b'), FULL);
		},
	]);
});

test('the families are those the server was told of, whatever ranges there are', async (t) => {
	await inTurn([
		'10.0.0.0/24',
		async ({ client, address, ready }) => {
			await client.create(SERVICE_CIDRS, { metadata: { name: 'six' }, spec: { cidrs: ['fd00::/112'] } });
			t.regex(
				await address('six', { ipFamilies: ['IPv6'] }),
				/spec\.ipFamilies\[0\]: Invalid value: "IPv6": not configured on this cluster$/,
			);
			await ready('kubernetes', 'False');
			t.is(await address('four'), FULL);
		},
	]);
});

test('a default range is retired: the server that was told of a new one makes it once the old one is gone, and its own Service with it', async (t) => {
	await inTurn(
		['10.0.0.0/24', async ({ client }) => void (await client.patch(SERVICE_CIDRS, 'kubernetes', { type: 'merge', body: HELD }))],
		[
			'10.2.0.0/24',
			async ({ client }) => {
				await client.delete(SERVICE_CIDRS, 'kubernetes');
				await client.delete(SERVICES, 'default/kubernetes');
			},
		],
		[
			'10.2.0.0/24',
			async ({ client, clock }) => {
				await t.throwsAsync(client.get(SERVICES, 'default/kubernetes'), { message: /not found/ }, 'it has no address yet');
				await client.patch(SERVICE_CIDRS, 'kubernetes', { type: 'merge', body: { metadata: { finalizers: null } } });
				await clock.advance(20_000);
				const own = async (): Promise<string> =>
					client.get(SERVICES, 'default/kubernetes').then(
						({ spec }) => spec?.clusterIP ?? '',
						() => '',
					);
				await eventually('it is there again', async () => (await own()) === '10.2.0.1');
				await client.delete(SERVICES, 'default/kubernetes');
				await eventually('and again', async () => {
					await clock.advance(1000);
					return (await own()) === '10.2.0.1';
				});
			},
		],
	);
});
