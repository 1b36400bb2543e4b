/** Which devices a container is given of those that are free. */
import test from 'ava';
import { chooseDevices, type Device } from './choose.ts';

const GPU = 'example.com/gpu';
const near = (id: string, ...nodes: readonly number[]): Device => ({ id, healthy: true, nodes });
const FREE = [near('d', 1), near('c', 1), near('b', 0), near('a', 0), near('z')];

for (const [name, count, nodes, reusable, wished, want] of [
	['any, by id', 2, undefined, [], [], ['a', 'b']],
	['those near the node', 2, 0b10, [], [], ['c', 'd']],
	['those near the node, then others', 3, 0b10, [], [], ['c', 'd', 'a']],
	['those of init containers first', 2, 0b10, ['x'], [], ['x', 'c']],
	['those that the plugin would rather give', 1, undefined, [], ['b'], ['b']],
	['of those near the node the one that it would rather give', 1, 0b10, [], ['a', 'd'], ['d']],
	['what it wishes for and is not free is not given', 1, undefined, [], ['q'], ['a']],
] as const)
	test(`chooseDevices(): ${name}`, async (t) => {
		t.deepEqual(await chooseDevices({ resource: GPU, count, reusable, free: FREE, nodes }, async () => wished), [...want]);
	});

test('chooseDevices(): too few are an error with the counts', async (t) => {
	const message = `requested number of devices unavailable for ${GPU}. Requested: 6, Available: 5`;
	await t.throwsAsync(
		chooseDevices({ resource: GPU, count: 6, reusable: [], free: FREE, nodes: undefined }, async () => []),
		{ message },
	);
});
