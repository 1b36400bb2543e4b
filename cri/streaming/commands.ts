/** Exec and attach for a streaming client: the engine's connection joined to the session's streams, the terminal's size passed on, the end told. */
import type { Duplex, Writable } from 'node:stream';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { CommandEnd, CommandSession, TerminalSize } from '../../wire/remotecommand/session.ts';
import { Demultiplexer } from '../engine/demux.ts';
import type { Engine } from '../engine/engine.ts';
import type { ContainerInspect } from '../engine/types.ts';
import type { StreamRequest } from './streaming.ts';

interface Deps {
	readonly engine: Engine;
	readonly log: Log;
}

interface ExecInspect {
	readonly Running: boolean;
	readonly ExitCode: number | null;
	readonly Pid: number;
}

type Exec = Extract<StreamRequest, { kind: 'exec' }>;
type Attach = Extract<StreamRequest, { kind: 'attach' }>;

/** Runs the command and tells how it ended. */
export async function serveExec(deps: Deps, request: Exec, session: CommandSession): Promise<void> {
	await finishing(session, deps.log, async () => {
		const { engine } = deps;
		const { tty, stdin, stdout, stderr, command, containerId } = request;
		const body = { AttachStdin: stdin, AttachStdout: stdout, AttachStderr: stderr && !tty, Tty: tty, Cmd: command };
		const { Id: id } = await engine.call<{ Id: string }>({ method: 'POST', path: `/containers/${containerId}/exec`, body });
		const connection = await engine.hijack({ method: 'POST', path: `/exec/${id}/start`, body: { Detach: false, Tty: tty } });
		session.onResize((size) => resize(deps, `/exec/${id}/resize`, size));
		await join(connection, session, tty);
		const { ExitCode } = await engine.call<ExecInspect>({ method: 'GET', path: `/exec/${id}/json` });
		return { type: 'exit', code: ExitCode ?? 0 };
	});
}

/** Attaches to the container's first process until it or the client ends. */
export async function serveAttach(deps: Deps, request: Attach, session: CommandSession, tty: boolean): Promise<void> {
	await finishing(session, deps.log, async () => {
		const { engine } = deps;
		const { containerId, stdin, stdout, stderr } = request;
		const query = { stream: true, stdin, stdout, stderr: stderr && !tty };
		const connection = await engine.hijack({ method: 'POST', path: `/containers/${containerId}/attach`, query });
		session.onResize((size) => resize(deps, `/containers/${containerId}/resize`, size));
		await join(connection, session, tty);
		const { State } = await engine.call<ContainerInspect>({ method: 'GET', path: `/containers/${containerId}/json` });
		return { type: 'exit', code: State.Running ? 0 : State.ExitCode };
	});
}

async function finishing(session: CommandSession, log: Log, work: () => Promise<CommandEnd>): Promise<void> {
	let end: CommandEnd;
	try {
		end = await work();
	} catch (error) {
		end = { type: 'error', message: messageOf(error) };
		if (!(error instanceof AppError)) log.warn('a streamed command failed', { error });
	}
	await session.finish(end);
}

/** Resolves when the engine has ended its side, or the client is gone. */
async function join(connection: Duplex, session: CommandSession, tty: boolean): Promise<void> {
	connection.on('error', () => {});
	session.stdin?.on('error', () => {});
	session.stdin?.pipe(connection);
	const done = session.closed.then(() => void connection.destroy());
	const output = async (): Promise<void> => {
		if (tty) {
			for await (const chunk of connection) await write(session.stdout, chunk as Buffer);
			return;
		}
		let pending: Promise<void>[] = [];
		const demultiplexer = new Demultiplexer((stream, data) => pending.push(write(session[stream], Buffer.from(data))));
		for await (const chunk of connection) {
			demultiplexer.write(chunk as Buffer);
			await Promise.all(pending);
			pending = [];
		}
	};
	await Promise.race([output().catch(() => {}), done]);
}

/** Waits for room; a client that is gone takes nothing. */
function write(stream: Writable | undefined, data: Buffer): Promise<void> {
	if (stream === undefined || stream.destroyed || stream.writableEnded) return Promise.resolve();
	return new Promise((resolve) => {
		stream.once('close', resolve);
		stream.write(data, () => {
			stream.off('close', resolve);
			resolve();
		});
	});
}

function resize({ engine, log }: Deps, path: string, { width, height }: TerminalSize): void {
	engine
		.call({ method: 'POST', path, query: { w: width, h: height } })
		.catch((error: unknown) => log.debug('the terminal size was not taken', { error }));
}
