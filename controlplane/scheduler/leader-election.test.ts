/** Several schedulers and one API server: one at a time places pods. */
import test from 'ava';
import type { Event, Lease, Pod } from '../../api/gen/types.ts';
import type { Resource } from '../../api/resource.ts';
import { NODES, PODS, SERVICE_ACCOUNTS } from '../../api/resources.ts';
import { realClock } from '../../base/clock.ts';
import { noLog } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { runServices } from '../../base/service.ts';
import { createRecorder } from '../../client/events.ts';
import { Informers } from '../../client/informers.ts';
import { testApiServer } from '../../test/fakes/api-server.ts';
import { node, pod } from '../../test/fakes/scheduling.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { parseSchedulerConfiguration } from './configuration/configuration.ts';
import { createScheduler } from './scheduler.ts';

const EVENTS: Resource<Event> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true, subresources: [] };
const LEASES: Resource<Lease> = {
	...{ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases' },
	...{ namespaced: true, subresources: [] },
};

/** A leader that renews 50 ms after the last time has time for a process that stands still; the one that is to lose its lease does so after the deadline. */
const SETTINGS = parseSchedulerConfiguration(
	`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: { leaderElect: true, leaseDuration: 60s, renewDeadline: 6s, retryPeriod: 50ms, resourceName: mine }
`,
	'file',
);

test('one of two schedulers places pods; the other does once that stops; who loses the lease contends again', async (t) => {
	const stop = new AbortController();
	const api = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
	const { client } = api;
	const running: { readonly stop: AbortController; readonly done: Promise<void> }[] = [];
	const started = (): AbortController => {
		const mine = new AbortController();
		const deps = { client, clock: realClock, log: noLog };
		const informers = new Informers(deps);
		const recorder = createRecorder({ ...deps, component: 'default-scheduler' });
		const scheduler = createScheduler({ ...deps, informers, recorder, metrics: createMetrics(), settings: SETTINGS });
		running.push({ stop: mine, done: runServices([informers, recorder, scheduler], mine.signal) });
		return mine;
	};
	const lease = async (): Promise<Lease> => client.get(LEASES, 'kube-system/mine');
	const holder = async (unless = ''): Promise<string> =>
		eventually('a leader', async () => {
			const { spec } = await lease().catch((): Partial<Lease> => ({}));
			return (spec?.holderIdentity ?? '') === unless ? undefined : spec?.holderIdentity || undefined;
		});
	const placed = async (name: string): Promise<string> =>
		eventually(`the node of ${name}`, async () => (await client.get(PODS, `default/${name}`)).spec?.nodeName);
	const made = async (name: string): Promise<Pod> =>
		client.create(PODS, pod(name, { tolerations: [{ operator: 'Exists' }], automountServiceAccountToken: false }));
	try {
		await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } });
		await client.create(NODES, node('n1'));
		const first = started();
		const one = await holder();
		started();
		await made('p');
		t.is(await placed('p'), 'n1');
		t.is(await holder(), one);
		first.abort();
		const other = await holder(one);
		await made('q');
		t.is(await placed('q'), 'n1');

		// It is renewed all the time, and an update of an older one is refused.
		const body = { spec: { holderIdentity: 'somebody', leaseDurationSeconds: 3600 } };
		await client.patch(LEASES, 'kube-system/mine', { type: 'merge', body });
		await eventually('the leader stops', async () => {
			const { items } = await client.list(EVENTS, { namespace: 'kube-system' });
			return items.find(({ message }) => message === `${other} stopped leading`);
		});
		await made('r');
		await client.delete(LEASES, 'kube-system/mine');
		t.is(await placed('r'), 'n1');
		t.is(await holder(), other);
	} finally {
		for (const one of running) one.stop.abort();
		await Promise.all(running.map(async (one) => one.done));
		stop.abort();
		await api.stopped;
	}
});
