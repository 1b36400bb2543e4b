/** Runs one of the system's commands. */
import { spawn } from 'node:child_process';
import { AppError } from '../base/errors.ts';

export interface CommandOptions {
	/** Text for standard input; none unless given. */
	readonly input?: string;
	/** The environment; this process's own unless given. */
	readonly env?: NodeJS.ProcessEnv;
}

/** The command's standard output. Throws Internal with its standard error (or what it said last), Unavailable where it cannot be run. */
export function runCommand(command: string, args: readonly string[], { input = '', env }: CommandOptions = {}): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...(env === undefined ? {} : { env }) });
		let out = '';
		let err = '';
		child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
		child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
		child.once('error', (cause) => reject(new AppError('Unavailable', `Cannot run "${command}": ${cause.message}`, { cause })));
		child.once('close', (code, signal) => {
			if (code === 0) return resolve(out);
			const said = (err.trim() || out.trim()).slice(-MAX_SAID);
			reject(new AppError('Internal', `${command} ${args.join(' ')} failed (${code ?? signal}): ${said}`));
		});
		child.stdin.on('error', () => {});
		child.stdin.end(input);
	});
}

const MAX_SAID = 2000;
