// Runs the command from a checkout: rebuilds the bundle when a source is newer, then starts it.
import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folders = ['agent', 'api', 'base', 'cli', 'client', 'cluster', 'controlplane', 'cri', 'csi', 'host', 'network', 'wire'];

const builtAt = statSync(join(root, 'dist', 'built'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = globSync([...folders.map((folder) => `${folder}/**/*.{ts,json,js}`), 'package.json'], { cwd: root });
if (sources.some((path) => !path.endsWith('.test.ts') && statSync(join(root, path)).mtimeMs > builtAt)) {
	const { status } = spawnSync(process.execPath, [join(root, 'cli', 'build.ts')], { stdio: 'inherit' });
	if (status !== 0) process.exit(status ?? 1);
}
await import('./launcher.js');
