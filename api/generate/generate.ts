/** Writes what is generated from the contract: `node api/generate/generate.ts`; `--check` only tells (exit code 1) whether it is up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readResources, readTypes } from './contract.ts';
import { typeScriptNames } from './names.ts';
import { resourcesSource } from './resources.ts';
import { typesSource } from './types.ts';

const api = join(import.meta.dirname, '..');
const types = readTypes();
const names = typeScriptNames(types);
const outputs: readonly (readonly [file: string, text: string])[] = [
	['gen/types.ts', typesSource(types, names)],
	['gen/resources.ts', resourcesSource(readResources(), types, names)],
];

const check = process.argv.includes('--check');
for (const [file, text] of outputs) {
	if (readFileSync(join(api, file), 'utf8') === text) continue;
	if (check) {
		process.stderr.write(`api/${file} is not what the contract says: run "npm run generate"\n`);
		process.exitCode = 1;
	} else writeFileSync(join(api, file), text);
}
