/** What pods/log takes, and which container is meant, in upstream's words. */
import test from 'ava';
import type { Pod } from '../../../../api/gen/types.ts';
import { logQuery } from './log-options.ts';
import { chosenContainer } from './pod-container.ts';

for (const [given, want] of [
	['2026-01-01T01:00:00.5+01:00', '2026-01-01T00:00:00Z'],
	['', '0001-01-01T00:00:00Z'],
] as const)
	test(`logQuery(): the time ${JSON.stringify(given)}`, (t) => {
		t.is(logQuery(new URLSearchParams({ sinceTime: given }), 'p').get('sinceTime'), want);
	});

test('logQuery(): what is no time is refused', (t) => {
	t.throws(() => logQuery(new URLSearchParams({ sinceTime: 'x' }), 'p'), {
		message: 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
	});
});

test('chosenContainer(): all containers of a pod are named, those that start first in front', (t) => {
	const named = (...names: string[]): { name: string; image: string }[] => names.map((name) => ({ name, image: 'i' }));
	const spec = { initContainers: named('i'), containers: named('a', 'b'), ephemeralContainers: named('e') };
	t.throws(() => chosenContainer({ metadata: { name: 'p' }, spec } as Pod, ''), {
		message: 'a container name must be specified for pod p, choose one of: [i a b e]',
	});
	t.is(chosenContainer({ metadata: { name: 'p' }, spec } as Pod, 'e'), 'e');
});

test('logQuery(): streams by themselves are for a feature that is off; parameters come in order', (t) => {
	t.throws(() => logQuery(new URLSearchParams({ stream: 'All' }), 'p'), {
		message: 'PodLogOptions "p" is invalid: stream: Forbidden: may not be specified',
	});
	const given = new URLSearchParams('timestamps=1&tailLines=3&previous=true&follow=true&limitBytes=7');
	t.is(logQuery(given, 'p').toString(), 'follow=true&limitBytes=7&previous=true&tailLines=3&timestamps=true');
});
