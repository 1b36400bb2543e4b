import test from 'ava';
import type { Service } from '../base/service.ts';
import { PartsHealth } from './parts-health.ts';

const never = new AbortController().signal;
const states = (health: PartsHealth): Promise<readonly string[]> =>
	Promise.all(
		health.components().map(async ({ name, check }) =>
			check(never).then(
				(text) => `${name} ${text}`,
				(error: Error) => `${name}: ${error.message}`,
			),
		),
	);

test('parts of which nothing was told are not listed, others in order', async (t) => {
	const health = new PartsHealth();
	t.deepEqual(await states(health), []);
	health.tell('cri');
	health.tell('scheduler', 'exit code 1');
	health.tell('controller-manager');
	t.deepEqual(await states(health), ['controller-manager ok', 'scheduler: exit code 1']);
	health.tell('scheduler');
	t.deepEqual(await states(health), ['controller-manager ok', 'scheduler ok']);
});

test('what is told is sent to whoever follows, the last one alone', async (t) => {
	const here = new PartsHealth();
	const there = new PartsHealth();
	here.tell('scheduler', 'signal SIGKILL');
	here.follow(() => t.deepEqual(here.components().length, 1));
	here.follow((message) => there.take(JSON.parse(JSON.stringify(message))));
	there.take('ready');
	there.take({ other: true });
	t.deepEqual(await states(there), ['scheduler: signal SIGKILL']);
	here.tell('scheduler');
	t.deepEqual(await states(there), ['scheduler ok']);
});

test('a part of this process serves once all of its services do', async (t) => {
	const health = new PartsHealth();
	const service = (name: string): Service => ({ name, after: [], run: async (_signal, ready) => ready() });
	const [first, second] = health.watched('scheduler', [service('a'), service('b')]) as [Service, Service];
	t.deepEqual([first.name, second.name], ['a', 'b']);
	await first.run(never, () => {});
	t.deepEqual(await states(health), ['scheduler: not ready yet']);
	await second.run(never, () => {});
	t.deepEqual(await states(health), ['scheduler ok']);
});
