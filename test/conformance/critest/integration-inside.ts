/** Runs inside namespaces of its own: an engine, then ava on the files that are named. Arguments: the folder for logs, the cgroup, the engine's folder, files. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { startEngine } from './engine.ts';
import { prepareHost } from './place.ts';

const [logs = '', cgroup = '', engineFolder = '', ...files] = process.argv.slice(2);
const root = join(import.meta.dirname, '..', '..', '..');
await prepareHost([]);
const engine = await startEngine(join(logs, 'dockerd.log'), cgroup, engineFolder);
console.log(`on Docker Engine ${engine.engineVersion}, API ${engine.apiVersion}`);
const ava = spawn(process.execPath, [join(root, 'node_modules/ava/entrypoints/cli.js'), '--serial', ...files], {
	cwd: root,
	stdio: 'inherit',
});
const code = await new Promise<number>((resolve) => ava.once('close', (c) => resolve(c ?? 1)));
process.exit(code);
