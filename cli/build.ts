/** Bundles the command into dist/ with esbuild: every verb is a chunk of its own, the SQLite worker a second entry point; and beside them the descriptions of fields. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { realClock } from '../base/clock.ts';
import { writeDocumentation } from './documentation.ts';

const root = join(import.meta.dirname, '..');

/** Written in place of packages that must not be in the bundle; dockerode's SSH transport is one we never use. */
const STUBS = { ssh2: join(root, 'cli', 'ssh2-stub.js') };

/**
 * Node.js looks at all that a built-in module exports when it is imported, and node:http exports a WebSocket that takes 30 ms and 5 MB to load. Taken
 * as CommonJS has it, it is not looked at.
 */
const unseenWebSocket: Plugin = {
	name: 'node:http',
	setup({ onResolve, onLoad }) {
		onResolve({ filter: /^(node:)?http$/ }, ({ kind }) =>
			kind === 'import-statement' ? { path: 'node:http', namespace: 'built-in' } : undefined,
		);
		onLoad({ filter: /./, namespace: 'built-in' }, () => ({ contents: "module.exports = process.getBuiltinModule('node:http');" }));
	},
};

await rm(join(root, 'dist'), { recursive: true, force: true });
// What the launcher keeps of the chunks before these.
await rm(join(root, '.cache', 'compiled'), { recursive: true, force: true });
await build({
	absWorkingDir: root,
	entryPoints: {
		cli: 'cli/cli.ts',
		api: 'api/index.ts',
		base: 'base/index.ts',
		client: 'client/index.ts',
		cluster: 'cluster/index.ts',
		'sqlite-worker': 'controlplane/storage/sqlite-worker.ts',
		'yaml-worker': 'controlplane/apiserver/request/yaml-worker.ts',
	},
	outdir: 'dist',
	bundle: true,
	splitting: true,
	format: 'esm',
	platform: 'node',
	target: 'node24',
	mainFields: ['module', 'main'],
	minifySyntax: true,
	minifyWhitespace: true,
	legalComments: 'none',
	alias: STUBS,
	plugins: [unseenWebSocket],
	loader: { '.json': 'json', '.txt': 'text' },
	// CommonJS packages inside an ES module bundle need a require of their own.
	banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
	logLevel: 'warning',
});
await writeDocumentation(root, join(root, 'dist', 'documentation.json'));
await writeFile(join(root, 'dist', 'built'), `${new Date(realClock.now()).toISOString()}\n`);
