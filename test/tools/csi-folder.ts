/** A driver's folders and options for tests that need no devices. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CsiOptions, Role } from '../../csi/options.ts';

/** Gone with the test. */
export async function csiFolder(t: { teardown(fn: () => Promise<void>): void }): Promise<string> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-csi-'));
	t.teardown(() => rm(dir, { recursive: true, force: true }));
	return dir;
}

/** All of it below the folder; volumes are plain folders. */
export const csiOptionsIn = (dir: string, role: Role): CsiOptions => ({
	driverName: 'local.csi.kubeling.dev',
	version: 'test',
	role,
	socketPath: join(dir, 'csi.sock'),
	dataDir: join(dir, 'pool'),
	runDir: join(dir, 'run'),
	nodeId: 'node',
	maxVolumesPerNode: 7,
	targetRoots: [],
	backends: ['directory'],
	registrationDir: join(dir, 'registry'),
});
