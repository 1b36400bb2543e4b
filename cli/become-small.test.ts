/** How the process of a part that runs alone was started, told by a module that each start loads. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test from 'ava';
import { NODE_FLAGS } from '../cluster/node-flags.ts';
import { SOURCE_FLAGS } from '../test/tools/killable-process.ts';
import { run } from '../test/tools/command.ts';

const CLI = join(import.meta.dirname, 'cli.ts');
const TELL = 'data:text/javascript,console.error(process.pid,process.execArgv.join(" "),process.env.MALLOC_ARENA_MAX)';
const FLAGS = [...SOURCE_FLAGS, '--import', TELL];
const told = (...flags: readonly string[]): RegExp => new RegExp(`^(\\d+) ${RegExp.escape([...flags, ...FLAGS].join(' '))} (.*)$`, 'm');
const MISSING = '/nonexistent/kubeling.json';

for (const verb of ['agent', 'apiserver'])
	test(`kubeling ${verb} starts anew as a small process of the same id`, async (t) => {
		const { stderr } = await run(process.execPath, [...FLAGS, CLI, verb, '--config', MISSING]);
		const [first, small] = [told().exec(stderr), told(...NODE_FLAGS).exec(stderr)];
		t.is(first?.[2], String(process.env['MALLOC_ARENA_MAX']), stderr);
		t.is(small?.[2], process.env['MALLOC_ARENA_MAX'] ?? '2');
		t.is(small?.[1], first?.[1]);
		t.true(
			stderr.endsWith(`kubeling: Cannot read the configuration "${MISSING}": ENOENT: no such file or directory, open '${MISSING}'\n`),
			stderr,
		);
	});

test('under a parent that listens it goes on as it was started', async (t) => {
	const child = fork(CLI, ['agent', '--config', MISSING], { execArgv: FLAGS, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
	let stderr = '';
	child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
	await once(child, 'close');
	t.is([...stderr.matchAll(/^\d+ /gm)].length, 1, stderr);
	t.regex(stderr, /Cannot read the configuration/);
});
