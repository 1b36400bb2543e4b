/** Exec and attach on the engine, between any streams: whatever protocol the client speaks ends here. */
import { finished } from 'node:stream/promises';
import type { Duplex, Writable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { CommandSession, TerminalSize } from '../../wire/remotecommand/session.ts';
import { Demultiplexer } from '../engine/demux.ts';
import type { Engine } from '../engine/engine.ts';
import type { StreamRequest } from './streaming.ts';
import { sizesInOrder } from './terminal-sizes.ts';

/** The client's ends; those it did not ask for are undefined. */
export type ProcessIo = Pick<CommandSession, 'stdin' | 'stdout' | 'stderr' | 'onResize'>;

interface Deps {
	readonly engine: Engine;
	readonly clock: Clock;
}

/** Runs a command in a container; resolves with its exit code. */
export async function execIn(
	deps: Deps,
	request: Extract<StreamRequest, { kind: 'exec' }>,
	io: ProcessIo,
	signal: AbortSignal,
): Promise<number> {
	const { engine } = deps;
	const { containerId, command, tty, stdin, stdout, stderr } = request;
	const body = { AttachStdin: stdin, AttachStdout: stdout, AttachStderr: stderr && !tty, Tty: tty, Cmd: command };
	const { Id: id } = await engine.call<{ Id: string }>({ method: 'POST', path: `/containers/${containerId}/exec`, body, signal });
	const socket = await engine.hijack({ method: 'POST', path: `/exec/${id}/start`, body: { Detach: false, Tty: tty }, signal });
	await carry(deps.clock, socket, tty, io, (size) => resize(engine, `/exec/${id}/resize`, size), signal);
	const { ExitCode } = await engine.call<{ ExitCode: number | null }>({ method: 'GET', path: `/exec/${id}/json` });
	return ExitCode ?? 0;
}

/** Joins the streams of a container's main process until it ends or the client leaves. */
export async function attachTo(
	deps: Deps,
	request: Extract<StreamRequest, { kind: 'attach' }>,
	io: ProcessIo,
	signal: AbortSignal,
): Promise<void> {
	const { engine } = deps;
	const { containerId, tty, stdin, stdout, stderr } = request;
	const query = { stream: true, stdin, stdout, stderr: stderr && !tty };
	const socket = await engine.hijack({ method: 'POST', path: `/containers/${containerId}/attach`, query, signal });
	await carry(deps.clock, socket, tty, io, (size) => resize(engine, `/containers/${containerId}/resize`, size), signal);
}

async function resize(engine: Engine, path: string, { width, height }: TerminalSize): Promise<void> {
	await engine.call<unknown>({ method: 'POST', path, query: { w: width, h: height } });
}

/** Carries bytes until the engine ends the output. */
async function carry(
	clock: Clock,
	socket: Duplex,
	tty: boolean,
	io: ProcessIo,
	onSize: (size: TerminalSize) => Promise<void>,
	signal: AbortSignal,
): Promise<void> {
	const onAbort = (): void => void socket.destroy();
	signal.addEventListener('abort', onAbort, { once: true });
	const over = new AbortController();
	io.onResize(sizesInOrder(onSize, clock, over.signal));
	try {
		if (io.stdin !== undefined) {
			io.stdin.on('error', () => socket.end());
			io.stdin.pipe(socket);
		}
		let full: Writable | undefined;
		const take = (target: Writable | undefined, data: Buffer): void => {
			if (target !== undefined && !target.destroyed && !target.write(Buffer.from(data))) full = target;
		};
		const demultiplexer = new Demultiplexer((stream, data) => take(io[stream], data));
		for await (const chunk of socket as AsyncIterable<Buffer>) {
			if (tty) take(io.stdout, chunk);
			else demultiplexer.write(chunk);
			if (full !== undefined) await drained(full);
			full = undefined;
		}
	} catch (error) {
		if (!signal.aborted && (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
	} finally {
		signal.removeEventListener('abort', onAbort);
		over.abort();
		io.stdin?.unpipe(socket);
		socket.destroy();
	}
}

function drained(stream: Writable): Promise<void> {
	return new Promise((resolve) => {
		stream.once('drain', resolve);
		finished(stream).then(
			() => resolve(),
			() => resolve(),
		);
	});
}
