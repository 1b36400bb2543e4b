import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import test from 'ava';
import { sandboxConfig } from '../test/tools/cri.ts';
import { removeOtherSandboxFiles, sandboxFiles, writeSandboxFiles } from './sandbox-files.ts';

test('files of sandboxes that no record knows go, the others stay', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-files-'));
	t.teardown(() => rm(dir, { recursive: true }));
	await removeOtherSandboxFiles(dir, []);
	for (const name of ['a', 'b', 'c']) writeSandboxFiles(dir, name, sandboxConfig(name), undefined);
	await removeOtherSandboxFiles(dir, ['b', 'x']);
	t.deepEqual(await readdir(join(dir, 'files')), [basename(sandboxFiles(dir, 'b').dir)]);
});
