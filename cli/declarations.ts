/** Writes the type declarations of the package's public API into dist/types, and of all else only what those lead to; the package needs no other. */
import { spawnSync } from 'node:child_process';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const types = join(root, 'dist', 'types');
const ENTRIES = ['api', 'base', 'client', 'cluster'].map((folder) => join(types, folder, 'index.d.ts'));

await rm(types, { recursive: true, force: true });
const compiler = join(root, 'node_modules', '.bin', 'tsc');
const { status } = spawnSync(compiler, ['--project', join(root, 'cli', 'declarations.json')], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

/** A package of the bundle whose types are in the API: its one declaration file comes along. */
const PROM_CLIENT = join(types, 'prom-client.d.ts');
await copyFile(join(root, 'node_modules', 'prom-client', 'index.d.ts'), PROM_CLIENT);

const reached = new Set<string>();
for (const entry of ENTRIES) await follow(entry);
for (const entry of await readdir(types, { recursive: true, withFileTypes: true })) {
	const path = join(entry.parentPath, entry.name);
	if (entry.isFile() && !reached.has(path)) await rm(path);
}

/** A declaration beside x.js is found under that name whatever a consumer's settings, so imports of x.ts become imports of x.js. */
async function follow(path: string): Promise<void> {
	if (reached.has(path)) return;
	reached.add(path);
	const text = await readFile(path, 'utf8');
	const next: string[] = [];
	const local = text.replaceAll(/(['"])prom-client\1/g, `'./${relative(dirname(path), PROM_CLIENT).replace(/\.d\.ts$/, '.ts')}'`);
	const rewritten = local.replaceAll(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, (_, quote: string, stem: string) => {
		next.push(join(dirname(path), `${stem}.d.ts`));
		return `${quote}${stem}.js${quote}`;
	});
	await writeFile(path, rewritten);
	for (const other of next) await follow(other);
}
