import { inspect } from 'node:util';
import test from 'ava';
import { lacked, must } from './command.ts';

const SECRET = 'a-token-of-nobody';

for (const [name, file, args, options, says] of [
	['a command that is not there', 'kubeling-no-such-command', [SECRET], {}, 'spawn kubeling-no-such-command ENOENT'],
	['a command that fails', 'sh', ['-c', `echo ${SECRET}; exit 3`], {}, /^sh -c echo …; exit 3 ended with 3: …\n$/],
	[
		'a command out of time',
		'sh',
		['-c', `echo ${SECRET}; exec sleep 60`],
		{ timeoutMs: 1 },
		/^sh -c echo …; exec sleep 60 took longer than 1 ms/,
	],
] as const)
	test(`no error tells the secret: ${name}`, async (t) => {
		const error = await t.throwsAsync(must(file, args, { ...options, secret: SECRET }), { message: says });
		t.notRegex(inspect(error), new RegExp(SECRET));
	});

test('a command that is not there is told by its code, with a secret or without', async (t) => {
	const open = await t.throwsAsync<NodeJS.ErrnoException>(must('kubeling-no-such-command', ['a']));
	t.like(open, { code: 'ENOENT', spawnargs: ['a'] });
	const secret = await t.throwsAsync<NodeJS.ErrnoException>(must('kubeling-no-such-command', [SECRET], { secret: SECRET }));
	t.is(secret.code, 'ENOENT');
});

test('a suite says the first command that it lacks', async (t) => {
	t.is(await lacked(['sh', 'kubeling-no-such-command', 'kubeling-nor-this']), 'needs kubeling-no-such-command, which this machine lacks');
	t.is(await lacked(['sh', 'cat']), undefined);
});
