/**
 * Exec and attach of a WebSocket client whose input can end alone (v5), for a server behind that speaks SPDY alone. The WebSocket begins
 * before the server behind is asked, so that what fails from then on is told inside of it. Follows upstream's StreamTranslatorHandler, but
 * for two things: a client that leaves ends the connection behind (there it stays until the command ends), and a command whose
 * connection is lost has failed (there it has succeeded).
 */
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { watchIdle } from '../upgrade/idle.ts';
import { acceptWebSocket, type Handshake } from '../websocket/accept.ts';
import { STREAM_CLOSE } from './asked.ts';
import type { RemoteCommand } from './remote-command.ts';
import { protocolVersion, STATUS_VERSION, type CommandEnd, type CommandSession, type CommandWants } from './session.ts';
import { spdyCommand } from './spdy-client.ts';
import { webSocketSession } from './websocket-session.ts';

/** A connection that was upgraded to SPDY. */
export interface Behind {
	readonly socket: Duplex;
	readonly head: Uint8Array;
	/** Of the command's streams; '' is the first one. */
	readonly protocol: string;
}

export interface TranslateDeps {
	readonly clock: Clock;
	/** Asks for what the command needs; why it cannot is told to the client. */
	behind(signal: AbortSignal): Promise<Behind>;
	/** Called once it is known, before the client knows. */
	ended?(end: CommandEnd): void;
}

interface Client {
	/** Without a fault (`handshakeFault`). */
	readonly handshake: Handshake;
	readonly socket: Duplex;
	readonly head: Uint8Array;
}

// Upstream's: defaultIdleConnectionTimeout, and PingPeriod of its SPDY client.
const IDLE_MS = 4 * 3_600_000;
const PING_MS = 5_000;
/** For what a client said before it left. */
const LEAVE_MS = 10_000;
/** Nobody hears how a command ended whose client is gone. */
const LEFT: CommandEnd = { type: 'exit', code: 0 };
const VERSION = protocolVersion(STREAM_CLOSE);

/** Resolves when both connections are over; rejects when there is no WebSocket. */
export async function translateCommand({ handshake, socket, head }: Client, wants: CommandWants, deps: TranslateDeps): Promise<void> {
	const webSocket = await acceptWebSocket(handshake, socket, head, STREAM_CLOSE);
	using idle = watchIdle({ clock: deps.clock, idleMs: IDLE_MS }, () => webSocket.terminate());
	webSocket.on('message', idle.heard);
	const session = webSocketSession(webSocket, wants, { version: VERSION, isText: false }, socket);
	let end: CommandEnd;
	try {
		end = await pass(session, wants, deps, idle.heard);
	} catch (error) {
		end = { type: 'error', message: messageOf(error) };
	}
	deps.ended?.(end);
	await session.finish(toldEnd(end));
}

/** As upstream tells what it was told. Pure. */
export function toldEnd(end: CommandEnd): CommandEnd {
	if (end.type === 'error') return { ...end, message: `Internal error occurred: ${end.message}`, cause: end.message };
	return { ...end, why: `command terminated with exit code ${end.code}` };
}

async function pass(session: CommandSession, wants: CommandWants, deps: TranslateDeps, heard: () => void): Promise<CommandEnd> {
	const gone = new AbortController();
	const left = session.closed.then(() => gone.abort());
	const { socket, head, protocol } = await deps.behind(gone.signal);
	const version = protocolVersion(protocol);
	const remote = await spdyCommand(socket, head, wants, version, { clock: deps.clock, pingMs: PING_MS });
	session.onResize((size) => remote.resize(size));
	passInput(session.stdin, remote.stdin);
	const outputs = [passOutput(remote.stdout, session.stdout, heard), passOutput(remote.stderr, session.stderr, heard)];
	const over = Promise.all(outputs).then(() => remote.ended);
	const end = await Promise.race([over, left.then(() => leave(remote, deps.clock)).then(() => LEFT)]);
	remote.close();
	return version < STATUS_VERSION && end.type === 'error' ? { ...end, message: `error executing remote command: ${end.message}` } : end;
}

function passInput(from: Readable | undefined, to: Writable | undefined): void {
	if (from === undefined || to === undefined) return;
	from.pipe(to);
	// The command takes no more: what else the client says must be heard all the same.
	to.once('close', () => from.resume());
}

/** Resolves when all that came was handed on. A server says how the command ended behind its output: who knows the one has the other. */
function passOutput(from: Readable | undefined, to: Writable | undefined, heard: () => void): Promise<void> {
	if (from === undefined) return Promise.resolve();
	from.on('error', () => {});
	if (to !== undefined) from.pipe(to, { end: false });
	from.on('data', heard);
	return new Promise((resolve) => void from.once('end', resolve).once('close', resolve));
}

/** What the client said last still arrives, within bounds. */
async function leave(remote: RemoteCommand, clock: Clock): Promise<void> {
	using _late = clock.after(LEAVE_MS, () => remote.close());
	for (const output of [remote.stdout, remote.stderr]) output?.unpipe().resume();
	const { stdin } = remote;
	if (stdin !== undefined && !stdin.writableFinished && !stdin.destroyed)
		await new Promise<void>((resolve) => void stdin.once('finish', resolve).once('close', resolve));
	await remote.leave();
}
