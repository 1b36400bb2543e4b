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
export type CommandEnd =
	/** @property why in the message of a failure; "exit status 3" unless told */
	| { readonly type: 'exit'; readonly code: number; readonly why?: string }
	/** @property cause what the message is about; all of it unless told */
	| { readonly type: 'error'; readonly message: string; readonly cause?: string };

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

/** Newest first; v3 brought resize, v4 the Status on the error stream, v5 half-close on WebSockets. */
export const SPDY_COMMAND = ['v5.channel.k8s.io', 'v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'] as const;
/** Channels of a WebSocket, their messages binary or text; no name at all means the first version. */
export const WEBSOCKET_COMMAND = [
	'v5.channel.k8s.io',
	'v4.channel.k8s.io',
	'v4.base64.channel.k8s.io',
	'channel.k8s.io',
	'base64.channel.k8s.io',
	'',
] as const;
export const PORT_FORWARD = 'portforward.k8s.io';
/** Channels of a WebSocket, their messages binary or text; no name means the first. */
export const PORT_CHANNELS = ['v4.channel.k8s.io', 'v4.base64.channel.k8s.io', ''] as const;
/** SPDY frames inside a WebSocket. */
export const TUNNEL = `SPDY/3.1+${PORT_FORWARD}`;

const RESIZE_VERSION = 3;
/** From here on success is told, too. */
export const STATUS_VERSION = 4;

/** Messages are text: the channel as a digit, and base64. */
export function isTextProtocol(protocol: string): boolean {
	return protocol.includes('base64.');
}

/** "v4.channel.k8s.io" is 4; "channel.k8s.io" and no name are 1. */
export function protocolVersion(protocol: string): number {
	return Number(/^v(\d+)\./.exec(protocol)?.[1] ?? 1);
}

/** The streams that a SPDY client opens, in upstream's order. */
export function streamNames(wants: CommandWants, version: number): readonly string[] {
	return [
		'error',
		...(wants.stdin ? ['stdin'] : []),
		...(wants.stdout ? ['stdout'] : []),
		...(wants.stderr && !wants.tty ? ['stderr'] : []),
		...(wants.tty && version >= RESIZE_VERSION ? ['resize'] : []),
	];
}

/** What a client sees when the connection was lost before the end was told. */
export const LOST: CommandEnd = { type: 'error', message: 'the connection was lost' };

/** What the error stream says at the end: from v4 on a Status (client-go reads its ExitCode cause), before that the error's text or nothing. */
export function endText(end: CommandEnd, version: number): string {
	const success = end.type === 'exit' && end.code === 0;
	const message = end.type === 'exit' ? `command terminated with non-zero exit code: ${end.why ?? `exit status ${end.code}`}` : end.message;
	if (version < STATUS_VERSION) return success ? '' : message;
	if (success) return JSON.stringify({ metadata: {}, status: 'Success' });
	if (end.type === 'exit')
		return JSON.stringify({
			metadata: {},
			status: 'Failure',
			message,
			reason: 'NonZeroExitCode',
			details: { causes: [{ reason: 'ExitCode', message: String(end.code) }] },
		});
	return JSON.stringify({
		metadata: {},
		status: 'Failure',
		message,
		reason: 'InternalError',
		details: { causes: [{ message: end.cause ?? message }] },
		code: 500,
	});
}

/** The inverse of `endText`. Nothing at all is success before v4, and a lost connection from then on. */
export function parseEnd(text: string, version: number): CommandEnd {
	if (text === '') return version < STATUS_VERSION ? { type: 'exit', code: 0 } : LOST;
	if (version < STATUS_VERSION) return { type: 'error', message: text };
	let status: { status?: string; message?: string; reason?: string; details?: { causes?: { reason?: string; message?: string }[] } };
	try {
		status = JSON.parse(text) as typeof status;
	} catch {
		return { type: 'error', message: text };
	}
	if (status.status === 'Success') return { type: 'exit', code: 0 };
	const code = Number(status.details?.causes?.find((c) => c.reason === 'ExitCode')?.message);
	if (status.reason === 'NonZeroExitCode' && Number.isInteger(code)) return { type: 'exit', code };
	return { type: 'error', message: status.message ?? text };
}

/** How long a client may take to open its streams (kubelet's stream creation timeout). */
export const STREAM_CREATION_MS = 30_000;
