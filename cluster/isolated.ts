/**
 * Every part as a process of its own, over its public wires: configured by a file, started again when it dies, and ended together. A part that
 * cannot start at first ends the whole with its own message: nothing half-started stays.
 *
 *   starting --ready--> serving --exit--> waiting (back-off) --> starting again
 *      '--exit before the first ready: the whole fails
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { parseDuration } from '../api/time.ts';
import { writeAtomic } from '../base/files.ts';
import { delayMs, type BackoffPolicy } from '../base/backoff.ts';
import { AppError } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import type { Log, LogLevel } from '../base/log.ts';
import type { Service } from '../base/service.ts';
import { NODE_FLAGS, smallProcess } from './node-flags.ts';
import { partConfigPath } from './part-processes.ts';
import { PartsHealth } from './parts-health.ts';
import type { PartConfigs, PartName } from './parts/config.ts';

export interface IsolatedOptions {
	/** The command's entry point. */
	readonly launcher: string;
	readonly dataDir: string;
	readonly logLevel: LogLevel;
	/** Every line that a part writes. */
	readonly onLine: (line: string) => void;
	readonly clock: Clock;
	readonly log: Log;
}

/** Which parts wait for which. */
const AFTER: Readonly<Record<PartName, readonly PartName[]>> = {
	apiserver: [],
	cri: [],
	scheduler: ['apiserver'],
	'controller-manager': ['apiserver'],
	agent: ['apiserver', 'cri'],
	storage: ['apiserver'],
	metrics: ['apiserver'],
};

/** A part gets this long to stop before it is killed; the API server that much more than requests may take (apiserver.ts). */
const STOP_MS = 10_000;
const REQUEST_MS = 60_000;
/** Between a part's death and its next start; a part that served for SETTLED_MS begins anew. */
const AGAIN: BackoffPolicy = { initialMs: 50, maxMs: 30_000 };
const SETTLED_MS = 60_000;
const SAID_CHARACTERS = 4096;

export function isolated(configs: PartConfigs, options: IsolatedOptions): readonly Service[] {
	const health = new PartsHealth();
	return (Object.keys(AFTER) as PartName[]).map((part) => ({
		name: part,
		after: AFTER[part],
		run: (signal, ready) => supervise(part, configs, { ...options, health }, signal, ready),
	}));
}

/** How long the part may take to stop. Pure; what the flags say must have been read by the part itself. */
export function stopMsOf(part: PartName, { apiserver }: Pick<PartConfigs, 'apiserver'>): number {
	if (part !== 'apiserver') return STOP_MS;
	const span = (flag: string): number => Number(parseDuration(String(apiserver.flags?.[flag] ?? '0')) / 1_000_000n);
	return STOP_MS + span('shutdown-delay-duration') + Math.max(REQUEST_MS, span('shutdown-watch-termination-grace-period'));
}

async function supervise(
	part: PartName,
	configs: PartConfigs,
	options: IsolatedOptions & { readonly health: PartsHealth },
	signal: AbortSignal,
	ready: () => void,
): Promise<void> {
	const { clock, log, health } = options;
	health.tell(part, 'not ready yet');
	const path = partConfigPath(options.dataDir, part);
	await writeAtomic(path, `${JSON.stringify(configs[part], undefined, '\t')}\n`);
	let wasReady = false;
	for (let attempt = 0; ; attempt++) {
		const started = clock.monotonic();
		const end = await runOnce(part, path, { ...options, stopMs: () => stopMsOf(part, configs) }, signal, (child) => {
			health.tell(part);
			if (part === 'apiserver') health.follow((message) => void (child.connected && child.send(message, () => {})));
			if (!wasReady) ready();
			else log.info('a part is back', { part });
			wasReady = true;
		});
		health.tell(part, end.said === '' ? end.how : end.said);
		if (signal.aborted) return;
		if (!wasReady) throw new AppError('Unavailable', end.said === '' ? `The ${part} ended with ${end.how}` : end.said);
		if (clock.monotonic() - started > SETTLED_MS) attempt = 0;
		const waitMs = delayMs(AGAIN, attempt, 0);
		log.error('a part died and is started again', { part, how: end.how, said: end.said, waitMs });
		await clock.sleep(waitMs, signal).catch(() => {});
		if (signal.aborted) return;
	}
}

interface End {
	/** "exit code 1", "signal SIGKILL". */
	readonly how: string;
	/** What it told people (its log is JSON, a line each), without the command's name. */
	readonly said: string;
}

interface LifeOptions extends IsolatedOptions {
	readonly stopMs: () => number;
}

/** One life of a part's process; an abort ends it with TERM, and after `stopMs` for good. */
async function runOnce(
	part: PartName,
	config: string,
	options: LifeOptions,
	signal: AbortSignal,
	ready: (child: ChildProcess) => void,
): Promise<End> {
	const args = [...NODE_FLAGS, options.launcher, part, '--config', config, '--log-level', options.logLevel];
	const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: smallProcess(process.env) });
	let rest = '';
	let said = '';
	child.stderr?.setEncoding('utf8').on('data', (text: string) => {
		const lines = (rest + text).split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines) {
			if (!line.startsWith('{')) said = `${said}${line}\n`.slice(-SAID_CHARACTERS);
			options.onLine(`${line}\n`);
		}
	});
	child.on('message', (message) => {
		if (message === 'ready') ready(child);
	});
	const killing = new AbortController();
	const onAbort = (): void => {
		child.kill('SIGTERM');
		void options.clock.sleep(options.stopMs(), killing.signal).then(
			() => child.kill('SIGKILL'),
			() => {},
		);
	};
	if (signal.aborted) onAbort();
	signal.addEventListener('abort', onAbort, { once: true });
	try {
		const how = await exit(child);
		return { how, said: said.trim().replace(/^kubeling: /, '') };
	} finally {
		killing.abort();
		signal.removeEventListener('abort', onAbort);
	}
}

/** Once the process has ended and all that it said is read; what it started may hold the pipe open for longer than it lived. */
function exit(child: ChildProcess): Promise<string> {
	return new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', (code, signal) => {
			const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
			child.stderr?.once('close', () => resolve(how));
			setImmediate(() => setImmediate(() => resolve(how)));
		});
	});
}
