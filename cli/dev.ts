/** Runs the command from a checkout: rebuilds the bundle when a source is newer, then starts it. */
import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const SOURCES = ['agent', 'api', 'base', 'cli', 'client', 'cluster', 'controlplane', 'cri', 'csi', 'host', 'network', 'wire'].map((folder) => `${folder}/**/*.{ts,json,js}`);

const builtAt = statSync(join(root, 'dist', 'built'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const stale = globSync([...SOURCES, 'package.json'], { cwd: root }).some((path) => !path.endsWith('.test.ts') && statSync(join(root, path)).mtimeMs > builtAt);
if (stale) {
	const { status } = spawnSync(process.execPath, [join(root, 'cli', 'build.ts')], { stdio: 'inherit' });
	if (status !== 0) process.exit(status ?? 1);
}
await import('./launcher.js');
