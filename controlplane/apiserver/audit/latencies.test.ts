/** Where slow requests spent their time. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { CONFIG_MAPS } from '../../../api/resources.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import type { AuditEvent } from './event.ts';
import { Latencies } from './latencies.ts';
import { parsePolicy } from './policy.ts';

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

test('a write that the store is slow with says so in the audit log', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-latencies-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const path = join(dir, 'audit.log');
	const clock = new VirtualClock();
	const store = createMemoryStore(clock);
	const commit = store.commit.bind(store);
	store.commit = async (writes, signal) => {
		if (writes.some(({ key }) => key.endsWith('/slow'))) await clock.advance(700);
		return commit(writes, signal);
	};
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
	for (const name of ['fast', 'slow']) await api.client.create(CONFIG_MAPS, { metadata: { name, namespace: 'default' } });
	const events = (await readFile(path, 'utf8'))
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as AuditEvent)
		.filter(({ stage, verb, objectRef }) => stage === 'ResponseComplete' && verb === 'create' && objectRef?.resource === 'configmaps');
	const [fast, slow] = ['fast', 'slow'].map((name) => events.find(({ objectRef }) => objectRef?.name === name)?.annotations ?? {});
	const latencies = (of: object = {}): readonly string[] => Object.keys(of).filter((key) => key.startsWith('apiserver.latency'));
	t.deepEqual(latencies(fast), []);
	t.true(latencies(slow).includes('apiserver.latency.k8s.io/total'));
	t.regex(slow?.['apiserver.latency.k8s.io/etcd'] ?? '', /^7\d\d(\.\d+)?ms$/);
});
