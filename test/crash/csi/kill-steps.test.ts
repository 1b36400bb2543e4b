/** The driver is killed at every named step of every RPC; callers who ask again get what they asked for, data stays, and nothing is left behind. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { BACKEND_KINDS, type BackendKind } from '../../../csi/backends/kinds.ts';
import type { CsiOptions } from '../../../csi/driver.ts';
import { findBackends } from '../../../csi/pool/find-backends.ts';
import { STEPS } from '../../../csi/steps.ts';
import { loopDevices } from '../../../host/loop.ts';
import { readMounts } from '../../../host/mounts.ts';
import { oneLife } from './lifecycle.ts';
import { MortalDriver } from './mortal-driver.ts';

const here = await findBackends(tmpdir());
for (const backend of BACKEND_KINDS) {
	const lacks = process.getuid?.() === 0 ? here.missing[backend] : 'this needs root';
	if (lacks !== undefined) test(`${backend}: skipped: ${lacks}`, (t) => t.pass());
	else
		test.serial(`${backend}: killed at each of ${STEPS.length} steps, a volume lives its life, and nothing is left`, (t) =>
			live(t, backend),
		);
}

async function live(t: import('ava').ExecutionContext, backend: BackendKind): Promise<void> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-csi-'));
	const pool = join(dir, 'pool');
	const options: CsiOptions = {
		driverName: 'local.csi.kubeling.dev',
		version: 'test',
		role: 'all',
		socketPath: join(dir, 'csi.sock'),
		dataDir: pool,
		runDir: join(dir, 'run'),
		nodeId: 'node',
		maxVolumesPerNode: 0,
		targetRoots: [dir],
		backends: [backend],
	};
	{
		await using driver = await MortalDriver.start(options, STEPS);
		t.deepEqual(await oneLife(driver, dir, 'node'), []);
		t.deepEqual([...driver.deadly], [], 'steps that nobody came by');
		t.deepEqual(await oneLife(driver, dir, 'node'), [], 'a second life without deaths');
	}
	t.deepEqual(
		(await readMounts()).filter((m) => m.path.startsWith(`${dir}/`)),
		[],
	);
	t.deepEqual(
		(await loopDevices()).filter((d) => d.backingFile.startsWith(dir)),
		[],
	);
	for (const kind of ['volumes', 'snapshots', 'groups']) t.deepEqual(await readdir(join(pool, kind)), [], kind);
	await rm(dir, { recursive: true, force: true });
}
