import test from 'ava';
import { Saver } from './saver.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('Saver: what changes together is written once', async (t) => {
	let writes = 0;
	const saver = new Saver(
		async () => void writes++,
		() => {},
	);
	saver.changed();
	saver.changed();
	await saver.saved();
	await saver.saved();
	t.is(writes, 1);
});

for (let ticks = 0; ticks < 6; ticks++)
	test(`Saver: no change is lost that comes ${ticks} microtasks after a write`, async (t) => {
		let state = 0;
		let written = -1;
		const first = Promise.withResolvers<void>();
		const saver = new Saver(
			async () => {
				const now = state;
				await first.promise;
				written = now;
			},
			() => {},
		);
		saver.changed();
		await turn();
		first.resolve();
		await first.promise;
		for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
		state = 1;
		saver.changed();
		await saver.saved();
		t.is(written, 1);
	});

test('Saver: a write that failed is told of, to those who wait too, and made up for by the next that do', async (t) => {
	const told: string[] = [];
	let fault: Error | undefined = new Error('disk full');
	let writes = 0;
	const saver = new Saver(
		async () => {
			if (fault !== undefined) throw fault;
			writes++;
		},
		(error) => told.push((error as Error).message),
	);
	saver.changed();
	await t.throwsAsync(saver.saved(), { message: 'disk full' });
	await t.throwsAsync(saver.saved(), { message: 'disk full' });
	t.deepEqual(told, ['disk full', 'disk full']);
	fault = undefined;
	await saver.saved();
	t.is(writes, 1);
});

test('Saver: who waits for a change that came during a write is not told that the earlier one failed', async (t) => {
	const told: string[] = [];
	const writes: PromiseWithResolvers<void>[] = [];
	const saver = new Saver(
		() => (writes.push(Promise.withResolvers<void>()), writes.at(-1)?.promise ?? Promise.resolve()),
		(error) => told.push((error as Error).message),
	);
	saver.changed();
	await turn();
	saver.changed();
	const saved = saver.saved();
	writes[0]?.reject(new Error('disk full'));
	await turn();
	await turn();
	t.is(writes.length, 2);
	writes[1]?.resolve();
	await t.notThrowsAsync(saved);
	t.deepEqual(told, ['disk full']);
});
