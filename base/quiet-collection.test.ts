import test from 'ava';
import { QuietCollection } from './quiet-collection.ts';

const MB = 2 ** 20;
const turned = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function heap(): { used: number; collections: number; readonly nursery: ConstructorParameters<typeof QuietCollection>[1] } {
	const state = {
		used: 40 * MB,
		collections: 0,
		nursery: {
			used: () => state.used,
			collect: () => {
				state.collections++;
				state.used = 40 * MB;
			},
		},
	};
	return state;
}

test('the nursery is collected when half of it is full and nothing is under way, after what was to be sent', async (t) => {
	const state = heap();
	const quiet = new QuietCollection(() => true, state.nursery);
	quiet.quiet();
	await turned();
	state.used = 41.9 * MB;
	quiet.quiet();
	await turned();
	t.is(state.collections, 0, 'too little');
	state.used = 42 * MB;
	quiet.quiet();
	t.is(state.collections, 0, 'not in the turn that it was said in');
	await turned();
	t.is(state.collections, 1);
	quiet.quiet();
	await turned();
	t.is(state.collections, 1, 'anew from there');
});

test('what came meanwhile is not held up', async (t) => {
	const state = heap();
	let busy = false;
	const quiet = new QuietCollection(() => !busy, state.nursery);
	quiet.quiet();
	await turned();
	state.used = 50 * MB;
	quiet.quiet();
	busy = true;
	await turned();
	t.is(state.collections, 0);
	busy = false;
	quiet.quiet();
	quiet.quiet();
	await turned();
	await turned();
	t.is(state.collections, 1);
});

test('a collection of V8 itself is a new beginning', async (t) => {
	const state = heap();
	const quiet = new QuietCollection(() => true, state.nursery);
	for (const [used, collections] of [
		[40, 0],
		[41, 0],
		[37, 0],
		[38.9, 0],
		[39, 1],
	] as const) {
		state.used = used * MB;
		quiet.quiet();
		await turned();
		t.is(state.collections, collections, `${used} MB`);
	}
});

test('a process that cannot collect does without', async (t) => {
	const quiet = new QuietCollection(() => t.fail('nobody asks'), undefined);
	t.is(globalThis.gc, undefined, 'tests run without --expose-gc');
	quiet.quiet();
	await turned();
});
