/** Where slow requests spent their time. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { CONFIG_MAPS, NAMESPACES } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import type { Client } from '../../../client/client.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import type { AuditEvent } from './event.ts';
import { Latencies } from './latencies.ts';
import { parsePolicy } from './policy.ts';

const PREFIX = 'apiserver.latency.k8s.io/';

interface Audited {
	readonly client: Client;
	/** Of the last such request: the layers with what they took. */
	readonly latencies: (verb: string, name?: string) => Promise<Readonly<Record<string, string>>>;
}

test('notes(): of slow requests alone; sums, and the longest of what is done at once', (t) => {
	const latencies = new Latencies();
	latencies.took('etcd', 100);
	latencies.took('etcd', 300.5);
	latencies.took('validating-webhook', 30);
	latencies.took('validating-webhook', 20);
	latencies.took('authentication', 0);
	t.deepEqual(latencies.notes(500), []);
	t.deepEqual(latencies.notes(1500), [
		['apiserver.latency.k8s.io/etcd', '400.5ms'],
		['apiserver.latency.k8s.io/validating-webhook', '30ms'],
		['apiserver.latency.k8s.io/total', '1.5s'],
	]);
	t.deepEqual(new Latencies().notes(1500), []);
});

/** A server whose requests are all written down; the events come as they are asked for. */
async function audited(t: ExecutionContext, clock: VirtualClock, store: Store): Promise<Audited> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-latencies-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const path = join(dir, 'audit.log');
	const stop = new AbortController();
	const batch = { bufferSize: 1, maxSize: 1, maxWaitMs: 1 };
	const api = await testApiServer(
		{
			...{ clock, log: noLog, store },
			standard: {
				audit: {
					policy: parsePolicy('{"kind":"Policy","apiVersion":"audit.k8s.io/v1","rules":[{"level":"Metadata"}]}', 'test'),
					log: { path, maxAgeDays: 0, maxBackups: 0, maxMegabytes: 100, compress: false, format: 'json', mode: 'blocking', batch },
				},
			},
		},
		stop.signal,
	);
	t.teardown(async () => {
		stop.abort();
		await api.stopped;
	});
	const latencies = async (verb: string, name?: string): Promise<Readonly<Record<string, string>>> => {
		const events = (await readFile(path, 'utf8'))
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line) as AuditEvent);
		const event = events.findLast(
			({ stage, verb: done, objectRef: of }) =>
				stage === 'ResponseComplete' && done === verb && of?.resource === 'configmaps' && of.name === name,
		);
		return Object.fromEntries(
			Object.entries(event?.annotations ?? {}).flatMap(([key, value]) =>
				key.startsWith(PREFIX) ? [[key.slice(PREFIX.length), value]] : [],
			),
		);
	};
	return { client: api.client, latencies };
}

test('a write that the store is slow with says so in the audit log', async (t) => {
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	const commit = store.commit.bind(store);
	store.commit = async (writes, signal) => {
		if (writes.some(({ key }) => key.endsWith('/slow'))) await clock.advance(700);
		return commit(writes, signal);
	};
	const { client, latencies } = await audited(t, clock, store);
	for (const name of ['fast', 'slow']) await client.create(CONFIG_MAPS, { metadata: { name, namespace: 'default' } });
	t.deepEqual(await latencies('create', 'fast'), {});
	const slow = await latencies('create', 'slow');
	t.true('total' in slow);
	t.regex(slow['etcd'] ?? '', /^7\d\d(\.\d+)?ms$/);
});

/** 100 ms pass whenever somebody looks. */
class Slow extends VirtualClock {
	#looks = 0;

	override monotonic(): number {
		return super.monotonic() + 100 * this.#looks++;
	}
}

const OBJECT = ['serialize-response-object', 'transform-response-object'];
const LARGE = 'x'.repeat(100_000);

for (const [name, path, accept, want] of [
	['an object', '/default/configmaps/a', 'application/json', OBJECT],
	['an object as a table', '/default/configmaps/a', 'application/json;as=Table;v=v1;g=meta.k8s.io', OBJECT],
	['a list', '/small/configmaps', 'application/json', ['serialize-response-object']],
	['a list in another encoding', '/small/configmaps', 'application/vnd.kubernetes.protobuf', ['decode-response-object', ...OBJECT]],
	['a list in pieces', '/default/configmaps', 'application/json', ['response-write', 'serialize-response-object']],
] as const)
	test(`a slow request says what its answer took: ${name}`, async (t) => {
		const clock = new Slow();
		const { client, latencies } = await audited(t, clock, createMemoryStore(clock));
		await client.create(NAMESPACES, { metadata: { name: 'small' } });
		for (const [namespace, of] of [
			['default', 'a'],
			['default', 'b'],
			['small', 'c'],
		] as const)
			await client.create(CONFIG_MAPS, { metadata: { name: of, namespace }, data: { large: namespace === 'small' ? '' : LARGE } });
		const signal = new AbortController().signal;
		const { body } = await client.transport.request({ method: 'GET', path: `/api/v1/namespaces${path}`, headers: { accept } }, signal);
		for await (const _ of body);
		const isList = !path.endsWith('/a');
		const took = await latencies(isList ? 'list' : 'get', isList ? undefined : 'a');
		t.deepEqual(
			Object.keys(took)
				.filter((layer) => layer.includes('response'))
				.sort(),
			[...want].sort(),
		);
		t.true('total' in took);
	});
