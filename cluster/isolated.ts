/** Every part as a process of its own, over its public wires: configured by a file, watched, and ended together. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { writeAtomic } from '../base/files.ts';
import { AppError } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { LogLevel } from '../base/log.ts';
import type { Service } from '../base/service.ts';
import type { PartConfigs, PartName } from './parts/config.ts';

export interface IsolatedOptions {
	/** The command's entry point. */
	readonly launcher: string;
	readonly dataDir: string;
	readonly logLevel: LogLevel;
	/** Every line that a part writes. */
	readonly onLine: (line: string) => void;
	readonly clock: Clock;
}

/** Which parts wait for which. */
const AFTER: Readonly<Record<PartName, readonly PartName[]>> = {
	apiserver: [],
	cri: [],
	scheduler: ['apiserver'],
	'controller-manager': ['apiserver'],
	agent: ['apiserver', 'cri'],
};

/** A part gets this long to stop before it is killed. */
const STOP_MS = 10_000;

export function isolated(configs: PartConfigs, options: IsolatedOptions): readonly Service[] {
	return (Object.keys(AFTER) as PartName[]).map((part) => ({
		name: part,
		after: AFTER[part],
		run: (signal, ready) => runPart(part, configs[part], options, signal, ready),
	}));
}

async function runPart(part: PartName, config: object, options: IsolatedOptions, signal: AbortSignal, ready: () => void): Promise<void> {
	const path = join(options.dataDir, 'parts', `${part}.json`);
	await writeAtomic(path, `${JSON.stringify(config, undefined, '\t')}\n`);
	const args = ['--max-semi-space-size=4', options.launcher, part, '--config', path, '--log-level', options.logLevel];
	const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
	let rest = '';
	let last = '';
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		const lines = (rest + text).split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines) {
			last = line;
			options.onLine(`${line}\n`);
		}
	});
	child.on('message', (message) => {
		if (message === 'ready') ready();
	});
	const ended = exit(child);
	const onAbort = (): void => void child.kill('SIGTERM');
	if (signal.aborted) onAbort();
	signal.addEventListener('abort', onAbort, { once: true });
	const kill = new AbortController();
	const timer = (): void =>
		void options.clock.sleep(STOP_MS, kill.signal).then(
			() => child.kill('SIGKILL'),
			() => {},
		);
	signal.addEventListener('abort', timer, { once: true });
	const code = await ended;
	kill.abort();
	signal.removeEventListener('abort', onAbort);
	signal.removeEventListener('abort', timer);
	if (!signal.aborted) throw new AppError('Unavailable', `The ${part} ended with ${code}: ${last}`);
}

function exit(child: ChildProcess): Promise<string> {
	return new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
	});
}
