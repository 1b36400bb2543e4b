/** Runs one CNI plug-in: a program with CNI_* in its environment and its configuration on standard input. */
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { AppError, type ErrorCode } from '../../../base/errors.ts';
import type { JsonObject } from './config.ts';

export type CniCommand = 'ADD' | 'CHECK' | 'DEL' | 'GC' | 'STATUS' | 'VERSION';

/** Who is connected; absent from GC, STATUS and VERSION. */
export interface CniAttachment {
	readonly containerId: string;
	/** Empty where the namespace is gone. */
	readonly netns: string;
	readonly ifname: string;
	readonly args: readonly (readonly [string, string])[];
}

export interface CniCall {
	readonly command: CniCommand;
	readonly plugin: string;
	readonly config: JsonObject;
	readonly attachment?: CniAttachment | undefined;
}

/** Answers the plug-in's standard output. Throws AppErrors that name plug-in, command, code and message. */
export type CniExec = (call: CniCall) => Promise<string>;

export interface ExecOptions {
	/** The native helper: what it runs ends with this process, however that ends, so that nothing goes on behind the next one's back. */
	readonly helperPath?: string | undefined;
	/** Folders of plug-ins; the first that has one wins. */
	readonly binDirs: readonly string[];
	readonly clock: Clock;
	/** How long one plug-in may take; two minutes unless told. */
	readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 1 << 24;
/** First for plug-ins, that call iptables and nft: development tools (npm's) may have other programs of these names. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
/** A plug-in that is being replaced cannot be run for a moment (ETXTBSY). */
const BUSY_TRIES = 5;
const BUSY_WAIT_MS = 200;
/** As the native helper says it. */
const BUSY = 'run the program: errno 26\n';

/** Codes of the specification's section "Error" that mean more than a failure. */
const CODES: Readonly<Record<number, ErrorCode>> = {
	1: 'FailedPrecondition', // incompatible version
	2: 'FailedPrecondition', // unsupported field
	3: 'NotFound', // container unknown or gone
	7: 'FailedPrecondition', // invalid network configuration
	11: 'Unavailable', // try again later
	50: 'Unavailable', // the plug-in cannot serve ADD
	51: 'Unavailable', // and what is connected may be limited
};

export function cniExec(options: ExecOptions): CniExec {
	return async (call) => {
		const path = await findPlugin(call.plugin, options.binDirs);
		for (let tries = 1; ; tries++) {
			try {
				return await run(path, call, options);
			} catch (error) {
				const busy = (error as NodeJS.ErrnoException).code === 'ETXTBSY';
				if (!busy || tries >= BUSY_TRIES)
					throw error instanceof AppError
						? error
						: new AppError('Internal', `Cannot run CNI plug-in "${path}": ${(error as Error).message}`, { cause: error });
				await options.clock.sleep(BUSY_WAIT_MS);
			}
		}
	};
}

/** Throws FailedPrecondition where no folder has it. */
export async function findPlugin(plugin: string, binDirs: readonly string[]): Promise<string> {
	for (const dir of binDirs) {
		const path = join(dir, plugin);
		const runs = await access(path, constants.X_OK).then(
			() => true,
			() => false,
		);
		if (runs) return path;
	}
	throw new AppError('FailedPrecondition', `Cannot find CNI plug-in "${plugin}" in ${binDirs.map((d) => `"${d}"`).join(', ')}`);
}

function run(path: string, call: CniCall, { helperPath, binDirs, clock, timeoutMs = TIMEOUT_MS }: ExecOptions): Promise<string> {
	const [program, args] = helperPath === undefined ? [path, []] : [helperPath, ['bound', path]];
	return new Promise((resolve, reject) => {
		// A group of its own: what a plug-in started ends with it.
		const child = spawn(program, args, {
			env: { ...process.env, ...environment(call, binDirs) },
			stdio: ['pipe', 'pipe', 'pipe'],
			detached: true,
		});
		const kill = (): void => {
			try {
				if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
			} catch {} // over already
		};
		let [out, err, late] = ['', '', false];
		const timer = clock.after(timeoutMs, () => {
			late = true;
			kill();
			child.stdout.destroy(); // nobody waits for who holds it open
			child.stderr.destroy();
		});
		child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
			out += chunk;
			if (out.length > MAX_OUTPUT_BYTES) kill();
		});
		child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err = (err + chunk).slice(-4000)));
		child.once('error', (error) => {
			timer[Symbol.dispose]();
			reject(error);
		});
		child.once('close', (code, signal) => {
			timer[Symbol.dispose]();
			if (late) reject(new AppError('DeadlineExceeded', `${said(call)} took longer than ${timeoutMs} ms`));
			else if (code === 0) resolve(out);
			else if (err === BUSY) reject(Object.assign(new Error(`"${path}" is being written`), { code: 'ETXTBSY' }));
			else reject(pluginError(call, out, err, code ?? signal));
		});
		child.stdin.on('error', () => {});
		child.stdin.end(JSON.stringify(call.config));
	});
}

/** Pure. */
export function environment({ command, attachment }: CniCall, binDirs: readonly string[]): Readonly<Record<string, string>> {
	return {
		CNI_COMMAND: command,
		CNI_PATH: binDirs.join(':'),
		PATH: [...SYSTEM_FOLDERS, process.env['PATH'] ?? ''].filter(Boolean).join(':'),
		...(attachment === undefined
			? {}
			: {
					CNI_CONTAINERID: attachment.containerId,
					CNI_NETNS: attachment.netns,
					CNI_IFNAME: attachment.ifname,
					CNI_ARGS: attachment.args.map((pair) => pair.join('=')).join(';'),
				}),
	};
}

/** Pure: what a failed plug-in said, by the specification as JSON on standard output. */
export function pluginError(call: CniCall, out: string, err: string, status: number | string | null): AppError {
	let told: { code?: unknown; msg?: unknown; details?: unknown } | undefined;
	try {
		told = JSON.parse(out) as typeof told;
	} catch {}
	if (typeof told !== 'object' || told === null || typeof told.msg !== 'string') {
		const words = [out.trim().slice(-1000), err.trim()].filter(Boolean).join('; ');
		return new AppError('Internal', `${said(call)} failed (${status ?? 'killed'})${words === '' ? '' : `: ${words}`}`);
	}
	const code = Number(told.code);
	const details = typeof told.details === 'string' && told.details !== '' ? `; ${told.details}` : '';
	return new AppError(CODES[code] ?? 'Internal', `${said(call)} failed (code ${code}): ${told.msg}${details}`);
}

function said({ plugin, command }: CniCall): string {
	return `CNI plug-in "${plugin}": ${command}`;
}
