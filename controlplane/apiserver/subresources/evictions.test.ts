/** Evictions that others are in the way of: they wait and try again, as often as upstream's. */
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { losingStore } from '../../../test/fakes/losing-store.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';

interface Answer {
	readonly code: number;
	readonly body: { readonly status?: object | string; readonly reason?: string; readonly message?: string };
}

const NAMESPACE = '/api/v1/namespaces/default';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const EVICTED = 40;

const stop = new AbortController();
const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'));
/** Keys that another writer is faster with, so often. */
const lost = new Map<string, number>();
let server: TestApiServer;

test.before(async () => {
	const loses = (key: string): boolean => {
		const name = key.slice(key.lastIndexOf('/') + 1);
		const times = lost.get(name) ?? 0;
		if (times > 0) lost.set(name, times - 1);
		return times > 0;
	};
	server = await testApiServer({ clock, log: noLog, store: losingStore(createMemoryStore(clock), clock, loses) }, stop.signal);
	await send('POST', `${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

async function send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<Answer> {
	const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
	const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
	const { status, body: read } = await server.client.transport.request({ method, path, headers, ...sent }, stop.signal);
	return { code: status, body: JSON.parse((await buffer(read)).toString()) as Answer['body'] };
}

async function aPod(name: string, phase: 'Running' | 'Pending', labels: object = {}): Promise<void> {
	const spec = { containers: [{ name: 'c', image: 'i' }] };
	await send('POST', `${NAMESPACE}/pods`, { metadata: { name, labels }, spec });
	await send('PATCH', `${NAMESPACE}/pods/${name}/status`, { status: { phase, conditions: [{ type: 'Ready', status: 'True' }] } });
}

async function aBudget(name: string, disruptionsAllowed: number): Promise<void> {
	await send('POST', BUDGETS, { metadata: { name }, spec: { minAvailable: 0, selector: { matchLabels: { of: name } } } });
	const status = { observedGeneration: 1, disruptionsAllowed, currentHealthy: EVICTED, desiredHealthy: 0, expectedPods: EVICTED };
	await send('PATCH', `${BUDGETS}/${name}/status`, { status });
}

const evict = (name: string, query = '', deleteOptions: object = {}): Promise<Answer> =>
	send('POST', `${NAMESPACE}/pods/${name}/eviction${query}`, { metadata: { name }, deleteOptions });

const isAnswered = async (answer: Promise<Answer>): Promise<boolean> =>
	Promise.race([answer.then(() => true), new Promise<false>((resolve) => setImmediate(() => resolve(false)))]);

test.serial('as many at once as their budget allows', async (t) => {
	await aBudget('many', EVICTED);
	const names = Array.from({ length: EVICTED }, (_, i) => `many-${i}`);
	for (const name of names) await aPod(name, 'Running', { of: 'many' });
	const answers = Promise.all(names.map((name) => evict(name)));
	await clock.advance(20_000);
	t.deepEqual(
		(await answers).filter(({ code }) => code !== 201).map(({ body }) => body.message),
		[],
	);
	const { status } = (await send('GET', `${BUDGETS}/many`)).body;
	t.like(status, { disruptionsAllowed: 0 });
	t.is(Object.keys((status as { disruptedPods: object }).disruptedPods).length, EVICTED);
});

test.serial('a budget that others keep changing is asked twenty times, half a second apart', async (t) => {
	await aBudget('busy', EVICTED);
	await aPod('of-busy', 'Running', { of: 'busy' });
	for (const [times, code] of [
		[20, 409],
		[19, 201],
	] as const) {
		lost.set('busy', times);
		const answer = evict('of-busy');
		await clock.advance(9_500);
		t.false(await isAnswered(answer));
		await clock.advance(1_500);
		t.is((await answer).code, code);
		t.is(lost.get('busy'), 0);
		if (code === 409)
			t.is(
				(await answer).body.message,
				'Operation cannot be fulfilled on poddisruptionbudgets.policy "busy": the object has been modified; please apply your changes to the latest version and try again',
			);
	}
});

test.serial('a pod that others keep changing is marked whatever they do, until the time of the request is over', async (t) => {
	await aPod('marked', 'Running');
	lost.set('marked', 100);
	const answer = evict('marked');
	await clock.advance(1_100);
	t.is((await answer).code, 201);
	await aPod('never', 'Running');
	lost.set('never', Number.POSITIVE_INFINITY);
	const late = evict('never', '?timeout=3s');
	await clock.advance(3_100);
	t.like(await late, { code: 504, body: { reason: 'Timeout' } });
	lost.delete('never');
});

test.serial('a pod that has not started must be as it was seen: it is looked at again half a second later', async (t) => {
	await aPod('pending', 'Pending');
	lost.set('pending', 1);
	const answer = evict('pending');
	await clock.advance(400);
	t.false(await isAnswered(answer));
	await clock.advance(300);
	t.is((await answer).code, 201);
});

test.serial('another pod than the one that is meant is told at once', async (t) => {
	await aPod('other', 'Pending');
	t.like(await evict('other', '', { preconditions: { uid: 'x' } }), { code: 409 });
});

test.serial('a pod that is not there is not found, whatever the options of its deletion say', async (t) => {
	const answer = await evict('nobody', '', { dryRun: ['x'], propagationPolicy: 'y' });
	t.is(answer.code, 404);
});
