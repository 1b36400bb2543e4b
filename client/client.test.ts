import test from 'ava';
import type { ConfigMap } from '../api/gen/types.ts';
import { CONFIG_MAPS, PODS } from '../api/resources.ts';
import { noLog } from '../base/log.ts';
import { runServices, type Service } from '../base/service.ts';
import { VirtualClock } from '../base/virtual-clock.ts';
import { refuse } from '../test/fakes/fake-api.ts';
import { FakeTransport } from '../test/fakes/fake-transport.ts';
import { Cache, type Change } from './cache.ts';
import { createController, keysFrom } from './controller.ts';
import { createRecorder, referenceTo } from './events.ts';
import { createInformer } from './informer.ts';
import { Informers } from './informers.ts';
import { createLeaderElection } from './leader.ts';
import { createClient } from './rest.ts';

const MAPS = '/api/v1/configmaps';

function setup(): {
	clock: VirtualClock;
	transport: FakeTransport;
	deps: { client: ReturnType<typeof createClient>; clock: VirtualClock; log: typeof noLog };
} {
	const clock = new VirtualClock();
	const transport = new FakeTransport(clock);
	return { clock, transport, deps: { client: createClient(transport), clock, log: noLog } };
}

function map(name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}): ConfigMap {
	return { metadata: { name, labels }, data };
}

async function withServices(services: readonly Service[], clock: VirtualClock, body: () => Promise<void>): Promise<void> {
	const stop = new AbortController();
	const done = runServices(services, stop.signal);
	await clock.advance(0);
	try {
		await body();
	} finally {
		stop.abort();
		await clock.advance(3000);
		await done;
	}
}

const describe = ({ before, after }: Change<ConfigMap>): string =>
	`${before === undefined ? '+' : after === undefined ? '-' : '~'}${(after ?? before)?.metadata.name}`;

for (const watchList of [true, false])
	test(`informer follows changes, broken and expired watches (${watchList ? 'WatchList' : 'list and watch'})`, async (t) => {
		const { clock, transport, deps } = setup();
		transport.watchList = watchList;
		for (let i = 0; i < 3; i++) transport.api.create(MAPS, map(`m${i}`), 'a');
		const informer = createInformer({ ...deps, resource: CONFIG_MAPS, indexes: { label: (m) => Object.keys(m.metadata.labels ?? {}) } });
		const changes: string[] = [];
		informer.subscribe((change) => changes.push(describe(change)));
		await withServices([informer], clock, async () => {
			await informer.synced(new AbortController().signal);
			t.deepEqual(changes.splice(0), ['+m0', '+m1', '+m2']);
			transport.api.update(MAPS, 'a/m0', { ...map('m0', {}, { x: '1' }), metadata: { name: 'm0', namespace: 'a', labels: { x: '1' } } });
			transport.api.delete(MAPS, 'a/m1');
			await clock.advance(0);
			t.deepEqual(changes.splice(0), ['~m0', '-m1']);
			t.deepEqual(
				informer.lister.byIndex('label', 'x').map((m) => m.metadata.name),
				['m0'],
			);
			t.throws(() => Object.assign(informer.lister.get('a/m0')?.metadata ?? {}, { name: 'y' }), undefined, 'frozen');
			transport.closeWatches(new Error('reset'));
			transport.api.create(MAPS, map('m3'), 'b');
			await clock.advance(500);
			t.deepEqual(changes.splice(0), ['+m3'], 'resumed, nothing twice');
			transport.closeWatches();
			transport.api.create(MAPS, map('m4'), 'b');
			transport.api.delete(MAPS, 'a/m2');
			transport.api.compact();
			await clock.advance(2000);
			t.deepEqual(changes.splice(0).toSorted(), ['+m4', '-m2'], 'listed again after 410');
			t.deepEqual(
				informer.lister.list('b').map((m) => m.metadata.name),
				['m3', 'm4'],
			);
			const late: string[] = [];
			informer.subscribe((change) => late.push(describe(change)));
			t.deepEqual(late.toSorted(), ['+m0', '+m3', '+m4'], 'a late subscriber sees what is there');
		});
		t.is(clock.pending, 0);
	});

test('informer starts once the server answers; many are shared by resource and selection', async (t) => {
	const { clock, transport, deps } = setup();
	let down = true;
	transport.intercept = () => {
		if (down) throw new Error('refused');
	};
	const informers = new Informers(deps);
	const all = informers.get(CONFIG_MAPS);
	t.is(informers.get(CONFIG_MAPS), all);
	await withServices([informers], clock, async () => {
		await clock.advance(10_000);
		t.false(all.hasSynced);
		t.true(transport.requests.length < 12, 'with back-off');
		down = false;
		await clock.advance(30_000);
		t.true(all.hasSynced);
		const some = informers.get(CONFIG_MAPS, { labelSelector: 'x=1' });
		t.not(some, all);
		await clock.advance(0);
		t.true(some.hasSynced, 'asked for later, runs too');
		transport.api.create(MAPS, map('in', {}, { x: '1' }), 'a');
		transport.api.create(MAPS, map('out'), 'a');
		await clock.advance(0);
		t.is(all.lister.list().length, 2);
		t.is(some.lister.list().length, 1);
	});
});

test('cache: replace tells the difference', (t) => {
	const cache = new Cache<ConfigMap>();
	const at = (name: string, resourceVersion: string): ConfigMap => ({ metadata: { name, resourceVersion, uid: name } });
	cache.replace([at('a', '1'), at('b', '2')]);
	t.deepEqual(cache.replace([at('b', '2'), at('c', '3')]).map(describe), ['-a', '+c']);
	t.is(cache.apply(at('c', '3')), undefined, 'the same version is no change');
	t.throws(() => cache.byIndex('nope', ''));
});

test('controller: reconciles after sync, by mapped keys, again on failure', async (t) => {
	const { clock, transport, deps } = setup();
	transport.api.create(MAPS, map('m', { owner: 'x' }), 'a');
	const informer = createInformer({ ...deps, resource: CONFIG_MAPS });
	const seen: string[] = [];
	const controller = createController({
		...deps,
		name: 'owners',
		sources: [keysFrom(informer, ({ before, after }) => [(after ?? before)?.data?.['owner'] ?? ''])],
		reconcile: (key) => {
			seen.push(`${key}${informer.hasSynced ? '' : ' too early'}`);
			return seen.length === 1 ? Promise.reject(new Error('again')) : Promise.resolve();
		},
	});
	await withServices([controller, informer], clock, async () => {
		await clock.advance(5);
		t.deepEqual(seen, ['x', 'x']);
		controller.enqueue('y', 1000);
		await clock.advance(1000);
		t.deepEqual(seen, ['x', 'x', 'y']);
	});
});

const about = referenceTo(PODS, { metadata: { name: 'p', namespace: 'a', uid: 'u' } }, 'spec.containers{c}');
const written = (transport: FakeTransport): readonly string[] =>
	transport.api
		.list('/api/v1/events', () => true)
		.map((e) => {
			const event = e as { count?: number; message?: string };
			return `${event.count}x ${event.message}`;
		});

test('events: the same again counts up; similar ones are combined; floods are stopped', async (t) => {
	const { clock, transport, deps } = setup();
	const recorder = createRecorder({ ...deps, component: 'kubelet', host: 'n1' });
	await withServices([recorder], clock, async () => {
		recorder.event(about, 'Warning', 'BackOff', 'Back-off');
		recorder.event(about, 'Warning', 'BackOff', 'Back-off');
		await clock.advance(1000);
		t.deepEqual(written(transport), ['2x Back-off']);
		const [event] = transport.api.list('/api/v1/events', () => true);
		t.like(event as unknown as Record<string, unknown>, {
			involvedObject: { kind: 'Pod', name: 'p', namespace: 'a', uid: 'u', fieldPath: 'spec.containers{c}', apiVersion: 'v1' },
			source: { component: 'kubelet', host: 'n1' },
			reportingComponent: 'kubelet',
			type: 'Warning',
			reason: 'BackOff',
			firstTimestamp: '2026-01-01T00:00:00Z',
		});
		for (let i = 0; i < 12; i++) recorder.event(about, 'Normal', 'Pulled', `image ${i}`);
		await clock.advance(1000);
		t.deepEqual(
			written(transport).filter((m) => m.includes('combined')),
			['3x (combined from similar events): image 11'],
		);
		t.is(written(transport).length, 1 + 9 + 1);
		for (let i = 0; i < 30; i++) recorder.event(about, 'Warning', 'BackOff', 'Back-off');
		await clock.advance(1000);
		t.deepEqual(
			written(transport).filter((m) => m.includes('Back-off')),
			['13x Back-off'],
			'25 in a burst',
		);
		await clock.advance(300_000);
		recorder.event(about, 'Warning', 'BackOff', 'Back-off');
		await clock.advance(1000);
		t.deepEqual(
			written(transport).filter((m) => m.includes('Back-off')),
			['33x Back-off'],
			'one more after five minutes, counting all',
		);
	});
});

test('events: two who report of one object in the same millisecond take no name from each other', async (t) => {
	const { clock, transport, deps } = setup();
	const recorders = ['scheduler', 'kubelet'].map((component) => createRecorder({ ...deps, component, name: component }));
	await withServices(recorders, clock, async () => {
		for (const recorder of recorders) recorder.event(about, 'Normal', 'Seen', 'at once');
		await clock.advance(1000);
		t.deepEqual(written(transport), ['1x at once', '1x at once']);
	});
});

test('events: kept while the server is away, given up where it says no, never in the way', async (t) => {
	const { clock, transport, deps } = setup();
	const recorder = createRecorder({ ...deps, component: 'kubelet' });
	let fail: (() => void) | undefined = () => {
		throw new Error('refused');
	};
	transport.intercept = () => fail?.();
	await withServices([recorder], clock, async () => {
		recorder.event(about, 'Normal', 'Started', 'one');
		await clock.advance(15_000);
		fail = undefined;
		await clock.advance(15_000);
		t.deepEqual(written(transport), ['1x one']);
		fail = () => {
			throw refuse(403, 'Forbidden', 'no');
		};
		recorder.event(about, 'Normal', 'Started', 'two');
		await clock.advance(1000);
		fail = undefined;
		recorder.event(about, 'Normal', 'Started', 'three');
		await clock.advance(1000);
		t.deepEqual(written(transport).toSorted(), ['1x one', '1x three']);
	});
});

test('leader election: one leads; another takes over when the lease is given back, or runs out', async (t) => {
	const { clock, transport, deps } = setup();
	const log: string[] = [];
	const candidate = (identity: string): Service =>
		createLeaderElection({
			...deps,
			name: identity,
			lease: 'kube-system/thing',
			identity,
			lead: (signal) => {
				log.push(`+${identity}`);
				return new Promise((resolve) =>
					signal.addEventListener('abort', () => {
						log.push(`-${identity}`);
						resolve();
					}),
				);
			},
		});
	const stopA = new AbortController();
	const stopB = new AbortController();
	const a = candidate('a').run(stopA.signal, () => {});
	await clock.advance(1);
	const b = candidate('b').run(stopB.signal, () => {});
	await clock.advance(60_000);
	t.deepEqual(log.splice(0), ['+a']);
	stopA.abort();
	await a;
	await clock.advance(5000);
	t.deepEqual(log.splice(0), ['-a', '+b']);
	const c = candidate('c').run(stopB.signal, () => {});
	transport.intercept = ({ body, method }) => {
		const holder = (body as { spec?: { holderIdentity?: string } } | undefined)?.spec?.holderIdentity;
		if (method !== 'GET' && (holder === 'b' || holder === '')) throw new Error('partitioned');
	};
	await clock.advance(13_000);
	t.deepEqual(log.splice(0), ['-b'], 'stops working before the lease runs out');
	await clock.advance(10_000);
	t.deepEqual(log.splice(0), ['+c']);
	stopB.abort();
	await clock.advance(3000);
	await Promise.all([b, c]);
	t.is(clock.pending, 0);
});

test('leader election: who works on long after its lease ran out is not well', async (t) => {
	const { clock, transport, deps } = setup();
	const stuck = Promise.withResolvers<void>();
	const election = createLeaderElection({ ...deps, lease: 'kube-system/thing', identity: 'a', lead: () => stuck.promise });
	const stop = new AbortController();
	t.is(election.health(), undefined);
	const done = election.run(stop.signal, () => {});
	await clock.advance(60_000);
	t.is(election.health(), undefined);
	transport.intercept = () => {
		throw new Error('partitioned');
	};
	await clock.advance(30_000);
	t.is(election.health(), undefined, 'an expired lease is tolerated for a while');
	await clock.advance(10_000);
	t.is(election.health(), 'failed election to renew leadership on lease kube-system/thing');
	stuck.resolve();
	stop.abort();
	await clock.advance(5000);
	await done;
	t.is(election.health(), undefined);
});

test('leader election: a slow answer does not lengthen the lease', async (t) => {
	const { clock, transport, deps } = setup();
	let worksUntil = 0;
	const lead = (signal: AbortSignal): Promise<void> =>
		new Promise((resolve) =>
			signal.addEventListener('abort', () => {
				worksUntil = clock.monotonic();
				resolve();
			}),
		);
	const stop = new AbortController();
	const done = createLeaderElection({ ...deps, lease: 'kube-system/thing', identity: 'a', lead }).run(stop.signal, () => {});
	await clock.advance(1000);
	// The next renewal is written at once, but its answer takes seven seconds; after it nothing gets through.
	let writtenAt = 0;
	transport.intercept = async ({ method }) => {
		if (writtenAt !== 0) throw new Error('partitioned');
		if (method === 'GET') return;
		writtenAt = clock.monotonic();
		const lease = transport.api.get('/apis/coordination.k8s.io/v1/leases', 'kube-system/thing');
		t.truthy(lease);
		await clock.sleep(7000);
	};
	await clock.advance(40_000);
	t.true(writtenAt > 0 && worksUntil > 0);
	// Another candidate may take the lease fifteen seconds after it saw the write.
	t.true(worksUntil - writtenAt < 15_000, `worked for ${worksUntil - writtenAt} ms after its last renewal was sent`);
	stop.abort();
	await clock.advance(3000);
	await done;
});

test('events: the one under way when the recorder stops is written all the same', async (t) => {
	const { clock, transport, deps } = setup();
	const recorder = createRecorder({ ...deps, component: 'test' });
	let slow = true;
	transport.intercept = async () => {
		if (slow) await clock.sleep(60_000);
	};
	const stop = new AbortController();
	const done = recorder.run(stop.signal, () => {});
	const about = referenceTo(CONFIG_MAPS, { metadata: { name: 'm', namespace: 'a' } });
	recorder.event(about, 'Normal', 'First', 'one');
	recorder.event(about, 'Normal', 'Second', 'two');
	await clock.advance(1000);
	slow = false;
	stop.abort();
	await clock.advance(60_000);
	await done;
	const written = transport.api.list('/api/v1/events', () => true) as readonly { reason?: string; count?: number }[];
	t.deepEqual(written.map((e) => [e.reason, e.count]).toSorted(), [
		['First', 1],
		['Second', 1],
	]);
});
