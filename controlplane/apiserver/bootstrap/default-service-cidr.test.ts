/** The default range on virtual time: made, made ready, given a second family, and told of where it is another. */
import test from 'ava';
import { EVENTS, SERVICE_CIDRS, SERVICES } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import { DefaultServiceCidr } from './default-service-cidr.ts';

interface World {
	readonly clock: VirtualClock;
	readonly server: TestApiServer;
	readonly range: () => Promise<{ cidrs?: string[] | undefined; ready: string | undefined }>;
	readonly events: () => Promise<readonly string[]>;
}

/** Servers on one store, one after the other. */
async function inTurn(...turns: readonly (readonly [serviceCidr: string, work: (world: World) => Promise<void>])[]): Promise<void> {
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	for (const [serviceCidr, work] of turns) {
		const stop = new AbortController();
		const server = await testApiServer({ clock, log: noLog, store, standard: { serviceCidr } }, stop.signal);
		const range: World['range'] = async () => {
			const { spec, status } = await server.client.get(SERVICE_CIDRS, 'kubernetes');
			const ready = status?.conditions?.find(({ type }) => type === 'Ready');
			return { ...spec, ready: ready === undefined ? undefined : `${ready.status} ${ready.message}` };
		};
		const events: World['events'] = async () =>
			(await server.client.list(EVENTS, { namespace: 'default' })).items.map(
				({ type, reason, message, source, involvedObject }) => `${source?.component} ${involvedObject.name} ${type} ${reason}: ${message}`,
			);
		try {
			await work({ clock, server, range, events });
		} finally {
			stop.abort();
			await server.stopped;
		}
	}
}

const READY = 'True Kubernetes default Service CIDR is ready';

test('it is there and ready at the start, gets a second family, and keeps it under a server that was told of one', async (t) => {
	await inTurn(
		[
			'10.0.0.0/24',
			async ({ range, server }) => {
				t.deepEqual(await range(), { cidrs: ['10.0.0.0/24'], ready: READY });
				t.is((await server.client.get(SERVICES, 'default/kubernetes')).spec?.clusterIP, '10.0.0.1');
			},
		],
		[
			'10.0.0.0/24,fd00::/112',
			async ({ range }) => {
				t.deepEqual(await range(), { cidrs: ['10.0.0.0/24', 'fd00::/112'], ready: READY });
			},
		],
		[
			'10.0.0.0/24',
			async ({ range, events, clock }) => {
				const want =
					'kubernetes-service-cidr-controller kubernetes Warning KubernetesDefaultServiceCIDRInconsistent: ' +
					'The default ServiceCIDR [10.0.0.0/24 fd00::/112] does not match the controller flag configurations [10.0.0.0/24]';
				await eventually('it is told', async () => (await events()).length > 0);
				await clock.advance(30_000);
				t.deepEqual(await events(), [want], 'once');
				t.deepEqual(await range(), { cidrs: ['10.0.0.0/24', 'fd00::/112'], ready: READY });
			},
		],
	);
});

test('a range that somebody called not ready stays so, and is told of once; one that went is made again', async (t) => {
	await inTurn([
		'10.0.0.0/24',
		async ({ range, events, clock, server: { client } }) => {
			const conditions = [{ type: 'Ready', status: 'False', reason: 'Broken', message: 'no', lastTransitionTime: '2026-01-01T00:00:00Z' }];
			await client.patch(SERVICE_CIDRS, 'kubernetes', { type: 'merge', body: { status: { conditions } } }, { subresource: 'status' });
			await clock.advance(20_000);
			await eventually('it is told', async () => (await events()).length > 0);
			t.deepEqual(await events(), ['kubernetes-service-cidr-controller kubernetes Warning Broken: Configuration matches, but no']);
			t.is((await range()).ready, 'False no');
			await client.delete(SERVICE_CIDRS, 'kubernetes');
			await clock.advance(10_000);
			await eventually('it is there again', () =>
				range().then(
					({ ready }) => ready === READY,
					() => false,
				),
			);
		},
	]);
});

test('a server that stops in the middle of a look at it stops well', async (t) => {
	const clock = new VirtualClock();
	const stop = new AbortController();
	const asked = Promise.withResolvers<void>();
	const client = {
		create: (_resource: unknown, _object: unknown, { signal }: { signal: AbortSignal }) =>
			new Promise((_resolve, reject) => {
				signal.addEventListener('abort', () => reject(signal.reason as Error));
				asked.resolve();
			}),
	};
	const range = new DefaultServiceCidr({
		...{ clock, log: noLog, cidrs: ['10.0.0.0/24'], client: client as never },
		reader: { get: () => undefined },
	});
	const running = range.run(stop.signal);
	await clock.advance(10_000);
	await asked.promise;
	stop.abort();
	await t.notThrowsAsync(running);
});
