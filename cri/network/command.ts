/** Runs one of the system's network commands with text on standard input. */
import { spawn } from 'node:child_process';
import { AppError } from '../../base/errors.ts';

/** The command's standard output. Throws Internal with its standard error, Unavailable where it is not installed. */
export function runCommand(command: string, args: readonly string[], input = ''): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
		let out = '';
		let err = '';
		child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
		child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
		child.on('error', (cause) => reject(new AppError('Unavailable', `Cannot run "${command}": ${cause.message}`, { cause })));
		child.on('close', (code) => {
			if (code === 0) resolve(out);
			else reject(new AppError('Internal', `${command} ${args.join(' ')} failed (${code}): ${err.trim()}`));
		});
		child.stdin.on('error', () => {});
		child.stdin.end(input);
	});
}
