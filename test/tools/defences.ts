/**
 * Proof that security tests test something: each defence is taken out of a copy of the sources, and the test that stands for it has to fail there.
 * A defence that is not found in the sources any more is a fault of its list.
 */
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type Result } from './command.ts';

export interface Defence {
	readonly file: string;
	/** What stands in the sources, and what is put in its place. */
	readonly from: string;
	readonly to: string;
	/** A second line of the same defence, in the same file. */
	readonly also?: readonly [from: string, to: string];
	/** The test, as ava's --match. */
	readonly test: string;
	/** Which file has it; any of the tests unless told. */
	readonly in?: string;
}

export interface Defended {
	readonly list: readonly Defence[];
	/** Where the tests are. */
	readonly tests: readonly string[];
	/** ava's configuration, if not the usual one. */
	readonly config?: string;
}

const ROOT = join(import.meta.dirname, '..', '..');
const LEFT_OUT = new Set(['node_modules', '.git', '.cache', 'dist']);
const TEST_MS = 600_000;

export async function defences(
	defended: Defended,
	log: (line: string) => void,
): Promise<{ readonly text: string; readonly problems: readonly string[] }> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-defences-'));
	const problems: string[] = [];
	try {
		for (const name of await readdir(ROOT)) if (!LEFT_OUT.has(name)) await cp(join(ROOT, name), join(dir, name), { recursive: true });
		await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
		const { code, stdout } = await testsIn(dir, defended, '*');
		if (code !== 0) return { text: 'the tests fail with every defence in its place', problems: [stdout] };
		for (const defence of defended.list) {
			const problem = await without(defence, dir, defended);
			log(`${problem === undefined ? '✔' : '✘'} ${defence.file} without ${JSON.stringify(defence.from)}: ${problem ?? 'its test fails'}`);
			if (problem !== undefined) problems.push(`${defence.file}: ${problem}`);
		}
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
	const { length } = defended.list;
	return { text: `${length - problems.length} of ${length} defences have a test that misses them`, problems };
}

async function without(defence: Defence, dir: string, defended: Defended): Promise<string | undefined> {
	const { file, from, to, also = [from, to], test } = defence;
	const path = join(dir, file);
	const source = await readFile(path, 'utf8');
	if (!source.includes(from) || !source.includes(also[0])) return 'it stands there no more';
	await writeFile(path, source.replace(from, to).replace(also[0], also[1]));
	try {
		const { code, stdout } = await testsIn(dir, defended, test, defence.in);
		if (code === 0) return `its test "${test}" passes all the same`;
		return stdout.includes('[fail]') ? undefined : `the run ended otherwise: ${stdout.slice(-300)}`;
	} finally {
		await writeFile(path, source);
	}
}

function testsIn(dir: string, { tests, config }: Defended, match: string, file?: string): Promise<Result> {
	const chosen = config === undefined ? [] : ['--config', config];
	const ava = [join('node_modules', 'ava', 'entrypoints', 'cli.js'), ...chosen, ...(file === undefined ? tests : [file])];
	return run(process.execPath, [...ava, '--match', match], { cwd: dir, timeoutMs: TEST_MS });
}
