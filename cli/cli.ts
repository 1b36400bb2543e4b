/** The `kubeling` command: runs the verb that was asked for; what fails is one plain line and an exit code that is not 0. */
import { messageOf } from '../base/errors.ts';
import { createProgram } from './program.ts';

/** What a shell shows of a program that SIGPIPE ended: whoever read the output wants no more of it (`kubeling logs | head`). */
const READER_GONE = 128 + 13;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
	if (error.code !== 'EPIPE') throw error;
	process.exit(READER_GONE);
});

try {
	await createProgram().parseAsync(process.argv);
} catch (error) {
	console.error(`kubeling: ${messageOf(error)}`);
	process.exitCode = 1;
}
