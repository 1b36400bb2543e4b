/** What exec and attach are to whoever runs the command: streams, sizes of the terminal, and how it ended. How they travel is below. */
import type { Readable, Writable } from 'node:stream';

/** Which streams the caller asked for; a terminal has no stderr of its own. */
export interface CommandWants {
	readonly stdin: boolean;
	readonly stdout: boolean;
	readonly stderr: boolean;
	readonly tty: boolean;
}

export interface TerminalSize {
	readonly width: number;
	readonly height: number;
}

/** How a command ended. */
export type CommandEnd = { readonly type: 'exit'; readonly code: number } | { readonly type: 'error'; readonly message: string };

export interface CommandSession {
	/** Present when asked for; ends when the client closes its side. */
	readonly stdin: Readable | undefined;
	readonly stdout: Writable | undefined;
	readonly stderr: Writable | undefined;
	/** Called for every size the client tells, the first included; only the last listener counts. */
	onResize(fn: (size: TerminalSize) => void): void;
	/** Resolves when the client is gone. */
	readonly closed: Promise<void>;
	/** Lets output drain, tells how it ended, and ends the connection. */
	finish(end: CommandEnd): Promise<void>;
}

/** The Status object that protocol v4 and later send on the error stream (apimachinery; client-go reads the ExitCode cause). */
export function endStatus(end: CommandEnd): string {
	if (end.type === 'exit' && end.code === 0) return JSON.stringify({ metadata: {}, status: 'Success' });
	if (end.type === 'exit')
		return JSON.stringify({
			metadata: {},
			status: 'Failure',
			message: `command terminated with non-zero exit code: exit status ${end.code}`,
			reason: 'NonZeroExitCode',
			details: { causes: [{ reason: 'ExitCode', message: String(end.code) }] },
		});
	return JSON.stringify({
		metadata: {},
		status: 'Failure',
		message: end.message,
		reason: 'InternalError',
		details: { causes: [{ message: end.message }] },
		code: 500,
	});
}

/** A line of the resize stream: {"Width":80,"Height":24}. Undefined when it is none. */
export function parseSize(text: string): TerminalSize | undefined {
	try {
		const { Width, Height } = JSON.parse(text) as { Width?: unknown; Height?: unknown };
		return typeof Width === 'number' && typeof Height === 'number' ? { width: Width, height: Height } : undefined;
	} catch {
		return undefined;
	}
}

/** How long a client may take to open its streams (kubelet's stream creation timeout). */
export const STREAM_CREATION_MS = 30_000;
