/** How everything of Kubeling is bundled with esbuild: the command (build.ts), and what benchmarks run so that they measure what people install. */
import { join } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');

const STUB = join(root, 'cli', 'unused-stub.js');

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

/** What prom-client takes along and nobody here asks for: metrics of the process, of its workers, and a gateway to push them to; they load a dozen modules of Node.js. */
const unusedMetrics: Plugin = {
	name: 'unused metrics',
	setup({ onResolve }) {
		onResolve({ filter: /^\.\/lib\/(defaultMetrics|cluster|pushgateway)$/ }, ({ importer }) =>
			importer.endsWith(join('prom-client', 'index.js')) ? { path: STUB } : undefined,
		);
	},
};

export const BUNDLE = {
	absWorkingDir: root,
	bundle: true,
	format: 'esm',
	platform: 'node',
	target: 'node24',
	mainFields: ['module', 'main'],
	minifySyntax: true,
	minifyWhitespace: true,
	legalComments: 'none',
	plugins: [unseenWebSocket, unusedMetrics],
	loader: { '.json': 'json', '.txt': 'text' },
	// CommonJS packages inside an ES module bundle need a require of their own.
	banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
	logLevel: 'warning',
} satisfies BuildOptions;

/**
 * The command with one verb alone. Where all verbs share one set of chunks, each piece that only some of them need is a file: `up` reads 120, and finding and
 * linking each of them costs a millisecond. Bundled for itself it reads a third as many.
 */
export function onlyVerb(verb: string): Plugin {
	return {
		name: `only ${verb}`,
		setup({ onResolve }) {
			onResolve({ filter: /^\.\/verbs\// }, ({ path, kind }) =>
				kind === 'dynamic-import' && path !== `./verbs/${verb}.ts` ? { path: './cli.js', external: true } : undefined,
			);
		},
	};
}
