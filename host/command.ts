/** Runs one of the system's commands. */
import { spawn } from 'node:child_process';
import { AppError } from '../base/errors.ts';

export interface CommandOptions {
	/** Text for standard input; none unless given. */
	readonly input?: string;
	/** The environment; this process's own unless given. */
	readonly env?: NodeJS.ProcessEnv;
}

/** A command that ran and said no. */
export class CommandFailure extends AppError {
	/** Undefined where a signal ended it. */
	readonly exitCode: number | undefined;
	constructor(message: string, exitCode: number | undefined) {
		super('Internal', message);
		this.exitCode = exitCode;
	}
}

/** The command's standard output. Throws CommandFailure with its standard error (or what it said last), Unavailable, with the system's error as cause, where it cannot be run. */
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
			reject(new CommandFailure(`${command} ${args.join(' ')} failed (${code ?? signal}): ${said}`, code ?? undefined));
		});
		child.stdin.on('error', () => {});
		child.stdin.end(input);
	});
}

const MAX_SAID = 2000;
