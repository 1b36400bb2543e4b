import test from 'ava';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { RESOURCES } from '../../api/resources.ts';
import { createMemoryStore } from '../storage/memory-store.ts';
import { Compaction } from './compaction.ts';
import { builtInKinds } from './registry/built-in-kinds.ts';

for (const [name, intervalMs, isForgotten] of [
	['every so long, all but what the last so long had', 10_000, true],
	['never', 0, false],
] as const)
	test(`Compaction: ${name}`, async (t) => {
		const clock = new VirtualClock();
		const store = createMemoryStore(clock);
		const stop = new AbortController();
		const start = store.revision();
		const running = new Compaction(store, clock, noLog, intervalMs).run(stop.signal);
		await store.commit([{ key: '/a', expect: 'absent', value: { bytes: Buffer.from('{}'), versionAt: 0, labels: {}, fields: {} } }]);
		await clock.advance(10_000);
		t.is(store.compacted(), start);
		await clock.advance(10_000);
		t.is(store.compacted(), isForgotten ? store.revision() : start);
		stop.abort();
		await clock.advance(0);
		await running;
	});

for (const [ttlMs, want] of [
	[undefined, 3_600_000],
	[15_000, 15_000],
	[0, undefined],
] as const)
	test(`Events are kept for ${ttlMs} ms, nothing else is`, (t) => {
		const kept = builtInKinds(RESOURCES, ttlMs).filter(({ strategy }) => strategy.ttlMs !== undefined);
		t.deepEqual(
			kept.map(({ strategy, resource }) => [resource.kind, strategy.ttlMs]),
			want === undefined
				? []
				: [
						['Event', want],
						['Event', want],
					],
		);
	});
