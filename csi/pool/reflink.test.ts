/** What the trial of sharing blocks says of a pool, by what the file system answers. */
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { sharesBlocks } from './reflink.ts';

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
const folder = async (t: { teardown(fn: () => Promise<void>): void }): Promise<string> => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-csi-reflink-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	return dir;
};

for (const [answer, clone, want] of [
	['done', () => Promise.resolve(), true],
	...(['EOPNOTSUPP', 'ENOTSUP', 'EXDEV', 'EINVAL', 'ENOTTY', 'ENOSYS'] as const).map((code) => [code, failing(code), false] as const),
	...(['ENOSPC', 'EDQUOT', 'EIO'] as const).map((code) => [code, failing(code), undefined] as const),
] as const)
	test(`sharing blocks, tried: ${answer} says ${want}, and leaves nothing`, async (t) => {
		const dir = await folder(t);
		t.is(await sharesBlocks(dir, 0, clone), want);
		t.deepEqual(await readdir(dir), []);
	});

test('sharing blocks: what a trial left that was killed is swept, not one that goes on', async (t) => {
	const dir = await folder(t);
	for (const [name, atMs] of [
		['.probe-old', 0],
		['.probe-new', 3_600_000],
		['volumes', 0],
	] as const) {
		await mkdir(join(dir, name));
		await utimes(join(dir, name), atMs / 1000, atMs / 1000);
	}
	await sharesBlocks(dir, 3_601_000);
	t.deepEqual((await readdir(dir)).toSorted(), ['.probe-new', 'volumes']);
});
