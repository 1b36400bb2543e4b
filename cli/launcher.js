#!/usr/bin/env node
// Starts the bundled command. Plain JavaScript that any Node can read, so that an old one gets one clear line.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
	console.error(`kubeling needs Node.js 24 or later; this is ${process.version}. Install a newer one from your system or from nodejs.org.`);
	process.exit(1);
}
// What was compiled once is kept beside the program, where that may be written: the next start reads it.
const [{ enableCompileCache }, { fileURLToPath }] = await Promise.all([import('node:module'), import('node:url')]);
enableCompileCache(fileURLToPath(new URL('../.cache/compiled', import.meta.url)));
// A cluster's own program has `up` alone, in fewer files.
await import(process.argv[2] === 'up' ? '../dist/up.js' : '../dist/cli.js');
