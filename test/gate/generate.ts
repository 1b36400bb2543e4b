/** `npm run generate`: regenerates every generated folder; `--check` only tells whether they are up to date. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const GENERATORS = ['api/generate/generate.ts', 'wire/generate.ts'];

let failed = false;
for (const generator of GENERATORS) {
	const { status } = spawnSync(process.execPath, [generator, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
	if (status !== 0) failed = true;
}
process.exitCode = failed ? 1 : 0;
