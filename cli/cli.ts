/** The `kubeling` command: runs the verb that was asked for; what fails is one plain line and an exit code that is not 0. */
import { messageOf } from '../base/errors.ts';
import { createProgram } from './program.ts';

try {
	await createProgram().parseAsync(process.argv);
} catch (error) {
	console.error(`kubeling: ${messageOf(error)}`);
	process.exitCode = 1;
}
