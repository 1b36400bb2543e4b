/**
 * Bundles the command into dist/ with esbuild: every verb is a chunk of its own, the workers are entry points beside it; `up` once more for itself, in the few files
 * that it needs; and beside them the descriptions of fields.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { realClock } from '../base/clock.ts';
import { BUNDLE, onlyVerb } from './bundle.ts';
import { writeDocumentation } from './documentation.ts';

const root = join(import.meta.dirname, '..');

await rm(join(root, 'dist'), { recursive: true, force: true });
// What the launcher keeps of the chunks before these.
await rm(join(root, '.cache', 'compiled'), { recursive: true, force: true });
const outdir = 'dist';
await build({
	...BUNDLE,
	entryPoints: {
		cli: 'cli/cli.ts',
		api: 'api/index.ts',
		base: 'base/index.ts',
		client: 'client/index.ts',
		cluster: 'cluster/index.ts',
		'sqlite-worker': 'controlplane/storage/sqlite-worker.ts',
		'yaml-worker': 'controlplane/apiserver/request/yaml-worker.ts',
	},
	outdir,
	splitting: true,
});
await build({ ...BUNDLE, plugins: [...BUNDLE.plugins, onlyVerb('up')], entryPoints: { up: 'cli/cli.ts' }, outdir, splitting: true });
await writeDocumentation(root, join(root, 'dist', 'documentation.json'));
await writeFile(join(root, 'dist', 'built'), `${new Date(realClock.now()).toISOString()}\n`);
