/** `npm run check`: the static half of the gate: types, lint, format, generated code, the bundle. `npm run ok` is this and the tests. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

const STEPS: readonly { readonly name: string; readonly command: string; readonly args: readonly string[] }[] = [
	{ name: 'types', command: bin('tsc'), args: ['--noEmit'] },
	{ name: 'lint', command: bin('oxlint'), args: ['--type-aware', '--quiet'] },
	{ name: 'format', command: bin('biome'), args: ['format', '--max-diagnostics=20'] },
	{ name: 'generated code', command: process.execPath, args: ['test/gate/generate.ts', '--check'] },
	{ name: 'bundle', command: process.execPath, args: ['cli/build.ts'] },
];

let failed = 0;
for (const { name, command, args } of STEPS) {
	console.log(`\n== ${name}`);
	const { status } = spawnSync(command, [...args], { cwd: root, stdio: 'inherit' });
	if (status !== 0) {
		console.log(`${name}: failed (exit code ${status ?? 'none'})`);
		failed++;
		if (name === 'types') break; // nothing after it means anything
	}
}
process.exitCode = failed > 0 ? 1 : 0;
