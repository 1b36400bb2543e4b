/**
 * Proof that the security tests of the shim test something: each defence is taken out of a copy of the sources, and the test that stands for it has
 * to fail there. A defence that is not found in the sources any more is a fault of this list.
 */
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type Result } from '../../tools/command.ts';

interface Defence {
	readonly file: string;
	/** What stands in the sources, and what is put in its place. */
	readonly from: string;
	readonly to: string;
	/** A second line of the same defence, in the same file. */
	readonly also?: readonly [from: string, to: string];
	/** The test, as ava's --match. */
	readonly test: string;
}

const DEFENCES: readonly Defence[] = [
	{ file: 'cri/logs/log-path.ts', from: "normal.startsWith('../')", to: 'false', test: 'log paths*' },
	{ file: 'cri/logs/log-path.ts', from: ' | constants.O_NOFOLLOW', to: '', test: '*not written through: a name*' },
	{
		file: 'cri/logs/log-path.ts',
		from: '|| actual !== join(base, path.slice(root.length))',
		to: '',
		test: '*not written through: a folder*',
	},
	{ file: 'cri/logs/log-path.ts', from: 'if (stat.nlink > 1)', to: 'if (false)', test: '*not written through: a second name*' },
	{
		file: 'cri/start.ts',
		from: "JSON.stringify({ name: [`^/?${namePrefix.replaceAll('.', '\\\\.')}`] })",
		// Of this instance: with any of a pod's labels it would take away what others run on this engine.
		to: 'JSON.stringify({ label: [`io.kubeling.instance=${namePrefix.slice(namePrefix.lastIndexOf("-") + 1, -1)}`] })',
		also: ['c.Names.filter((n) => n.startsWith(`/${namePrefix}`))', 'c.Names'],
		test: '*labels of this shim*',
	},
	{
		file: 'cri/state/state.ts',
		from: "if (exact !== undefined || id === '') return exact;",
		to: 'if (exact !== undefined) return exact;',
		test: 'ids and names*',
	},
	{ file: 'cri/convert/names.ts', from: "replaceAll(/[^a-zA-Z0-9.-]/g, '-')", to: "replaceAll(/~/g, '-')", test: 'ids and names*' },
	{ file: 'cri/streaming/tokens.ts', from: 'this.#values.delete(token);\n\t\treturn', to: 'return', test: 'a streaming URL*' },
	{ file: 'cri/streaming/tokens.ts', from: 'randomBytes(24)', to: 'randomBytes(3)', test: 'a streaming URL*' },
	{ file: 'cri/streaming/server.ts', from: ' || wanted.kind !== kind', to: '', test: 'a streaming URL*' },
	{ file: 'cri/handlers/exec-sync.ts', from: '15 * 1024 * 1024', to: '1500 * 1024 * 1024', test: 'output without end*' },
	{ file: 'cri/streaming/server.ts', from: 'const HEADERS_MS = 10_000;', to: 'const HEADERS_MS = 1_000_000;', test: 'thousands of idle*' },
];

const ROOT = join(import.meta.dirname, '..', '..', '..');
const LEFT_OUT = new Set(['node_modules', '.git', '.cache', 'dist']);
const TEST_MS = 600_000;

export async function defences(log: (line: string) => void): Promise<{ readonly text: string; readonly problems: readonly string[] }> {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-defences-'));
	const problems: string[] = [];
	try {
		for (const name of await readdir(ROOT)) if (!LEFT_OUT.has(name)) await cp(join(ROOT, name), join(dir, name), { recursive: true });
		await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
		const { code, stdout } = await testsIn(dir, '*');
		if (code !== 0) return { text: 'the tests fail with every defence in its place', problems: [stdout] };
		for (const defence of DEFENCES) {
			const problem = await without(defence, dir);
			log(`${problem === undefined ? '✔' : '✘'} ${defence.file} without ${JSON.stringify(defence.from)}: ${problem ?? 'its test fails'}`);
			if (problem !== undefined) problems.push(`${defence.file}: ${problem}`);
		}
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
	return { text: `${DEFENCES.length - problems.length} of ${DEFENCES.length} defences have a test that misses them`, problems };
}

async function without({ file, from, to, also = [from, to], test }: Defence, dir: string): Promise<string | undefined> {
	const path = join(dir, file);
	const source = await readFile(path, 'utf8');
	if (!source.includes(from) || !source.includes(also[0])) return 'it stands there no more';
	await writeFile(path, source.replace(from, to).replace(also[0], also[1]));
	try {
		const { code, stdout } = await testsIn(dir, test);
		if (code === 0) return `its test "${test}" passes all the same`;
		return stdout.includes('[fail]') ? undefined : `the run ended otherwise: ${stdout.slice(-300)}`;
	} finally {
		await writeFile(path, source);
	}
}

function testsIn(dir: string, match: string): Promise<Result> {
	const ava = [join('node_modules', 'ava', 'entrypoints', 'cli.js'), '--config', 'ava.e2e.config.js', 'cri/security.integration.test.ts'];
	return run(process.execPath, [...ava, '--match', match], { cwd: dir, timeoutMs: TEST_MS });
}
