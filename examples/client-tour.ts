/**
 * A tour of `client/`: every piece once, in a namespace of its own that is removed at the end. docs/client.md explains it.
 *
 *     node examples/client-tour.ts [--context NAME]
 */
import { parseArgs } from 'node:util';
import { CONFIG_MAPS, NAMESPACES, keyOf, StatusError, type KubeObject, type Resource } from '../api/index.ts';
import { createLog, ignore, realClock, runServices, type Service } from '../base/index.ts';
import {
	accessFromKubeconfig,
	createClient,
	createController,
	createInformer,
	createLeaderElection,
	createRecorder,
	createTransport,
	createWorkQueue,
	keysFrom,
	kubeconfigPaths,
	loadKubeconfig,
	referenceTo,
	reflect,
} from '../client/index.ts';

const { values } = parseArgs({ options: { context: { type: 'string' } } });
const namespace = `tour-${process.pid}`;
const clock = realClock;
const log = createLog({ level: 'warn' });

// Transport
const config = await loadKubeconfig(kubeconfigPaths(process.env));
const { transport: options } = accessFromKubeconfig(config, clock, values.context);
const transport = createTransport(options);
const version = await transport.request({ method: 'GET', path: '/version' }, AbortSignal.timeout(10_000));
console.log(`transport: ${version.status}`);

// Typed client
const client = createClient(transport, { userAgent: 'client-tour' });
await client.create(NAMESPACES, { metadata: { name: namespace } });
const made = await client.create(CONFIG_MAPS, { metadata: { name: 'a', namespace }, data: { x: '1' } });
await client.patch(CONFIG_MAPS, keyOf(made), { type: 'merge', body: { data: { x: '2' } } });
const { items } = await client.list(CONFIG_MAPS, { namespace, fieldSelector: 'metadata.name=a' });
console.log(`client: x is ${items[0]?.data?.['x']}`);
try {
	await client.create(CONFIG_MAPS, { metadata: { name: 'a', namespace } });
} catch (error) {
	if (!(error instanceof StatusError)) throw error;
	console.log(`errors: ${error.httpCode} ${error.status.reason}`);
}
await client.delete(CONFIG_MAPS, `${namespace}/none`).catch(ignore('NotFound'));

// Any kind
interface Account extends KubeObject {
	readonly kind?: 'ServiceAccount';
}
const ACCOUNTS: Resource<Account> = {
	...{ group: '', version: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true },
	subresources: ['token'],
};
const account = await client.create(ACCOUNTS, { metadata: { name: 'tourist', namespace } });
console.log(`any kind: ${account.metadata.name}`);

// Watch
const since = (await client.list(CONFIG_MAPS, { namespace })).metadata.resourceVersion ?? '0';
await client.create(CONFIG_MAPS, { metadata: { name: 'b', namespace } });
for await (const { type, object } of client.watch(CONFIG_MAPS, { namespace, resourceVersion: since })) {
	if (object.metadata.name !== 'b') continue;
	console.log(`watch: ${type} ${object.metadata.name}`);
	break;
}

// Reflector
const enough = new AbortController();
for await (const event of reflect({ client, clock, log, resource: CONFIG_MAPS, namespace }, enough.signal)) {
	if (event.type !== 'initDone') continue;
	console.log('reflector: complete');
	break;
}

// Informer
const maps = createInformer({ client, clock, log, resource: CONFIG_MAPS, namespace });
maps.addIndex('x', (map) => [map.data?.['x'] ?? '']);
await running([maps], async (signal) => {
	await maps.synced(signal);
	console.log(`informer: ${maps.lister.byIndex('x', '2').map(keyOf).length} with x=2`);
});

// Work queue
const queue = createWorkQueue<string>({ name: 'tour', clock });
for (const key of ['one', 'two', 'one']) queue.add(key);
const handled: string[] = [];
const drained = new AbortController();
await queue.run(
	1,
	async (key) => {
		handled.push(key);
		if (queue.length === 0) drained.abort();
	},
	drained.signal,
);
console.log(`work queue: ${handled.join(', ')}`);

// Controller
const watched = createInformer({ client, clock, log, resource: CONFIG_MAPS, namespace });
const labelled = Promise.withResolvers<void>();
const controller = createController({
	...{ clock, log, name: 'tour', sources: [keysFrom(watched)] },
	reconcile: async (key, signal) => {
		if (key !== `${namespace}/b`) return;
		const map = watched.lister.get(key);
		if (map === undefined || map.metadata.labels?.['seen'] === 'yes') return;
		await client.patch(CONFIG_MAPS, key, { type: 'merge', body: { metadata: { labels: { seen: 'yes' } } } }, { signal });
		labelled.resolve();
	},
});
await running([watched, controller], () => labelled.promise);
console.log('controller: b is seen');

// Events
const recorder = createRecorder({ client, clock, log, component: 'client-tour' });
await running([recorder], async () => {
	recorder.event(referenceTo(CONFIG_MAPS, made), 'Normal', 'Toured', 'Somebody came by');
});
console.log('events: written when the recorder has stopped');

// Leader election
const led = Promise.withResolvers<void>();
const election = createLeaderElection({
	...{ client, clock, log, lease: `${namespace}/tour`, identity: clock.uuid() },
	lead: async (signal) => {
		led.resolve();
		await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
	},
});
await running([election], () => led.promise);
console.log('leader election: led');

await client.delete(NAMESPACES, namespace);
await transport.close();

/** Runs services for as long as `work` takes. */
async function running(services: readonly Service[], work: (signal: AbortSignal) => Promise<void>): Promise<void> {
	const stop = new AbortController();
	const all = runServices(services, stop.signal, () => {});
	try {
		await Promise.race([work(stop.signal), all]);
	} finally {
		stop.abort();
		await all;
	}
}
