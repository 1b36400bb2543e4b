/** The CRI log files of all containers: each is fed from its attach stream, or after a restart of the shim from the engine's copy. */
import { open, stat, truncate } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { Demultiplexer, type StreamName } from '../engine/demux.ts';
import type { Engine } from '../engine/engine.ts';
import { writtenCount } from './align.ts';
import { readEngineLog } from './engine-log.ts';
import { type LogEntry, parseEntries } from './format.ts';
import { LogWriter } from './writer.ts';

interface Deps {
	readonly engine: Engine;
	readonly clock: Clock;
	readonly log: Log;
}

interface Pump {
	readonly writer: LogWriter;
	/** Resolves when the container's output has ended and is in the file. */
	readonly done: Promise<void>;
}

/** How much of the file's end is compared with the engine's copy, and how far back in time the copy is read. */
const TAIL_BYTES = 256 * 1024;
const OVERLAP_MS = 10_000;

export class ContainerLogs {
	readonly #deps: Deps;
	readonly #pumps = new Map<string, Promise<Pump>>();
	readonly #stop = new AbortController();

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	/** Attaches to a container that was just made; `attached` waits for it, so that nothing is lost at its start. */
	attach(id: string, path: string, tty: boolean): void {
		if (path === '' || this.#pumps.has(id)) return;
		const pump = this.#attach(id, path, tty);
		pump.catch(() => {});
		this.#pumps.set(id, pump);
	}

	async attached(id: string): Promise<void> {
		await this.#pumps.get(id);
	}

	/** Goes on where the file ends, from the engine's copy; for containers that ran while no shim did. */
	resume(id: string, path: string, tty: boolean): void {
		if (path === '' || this.#pumps.has(id)) return;
		const pump = this.#resume(id, path, tty);
		pump.catch((error: unknown) => this.#deps.log.warn('cannot resume a container log', { container: id, error: messageOf(error) }));
		this.#pumps.set(id, pump);
	}

	/** Resolves once a container that has ended is all in its file, or after the bound: its children may hold the output open. */
	async finished(id: string, boundMs: number): Promise<void> {
		const pump = await this.#pumps.get(id)?.catch(() => undefined);
		if (pump === undefined) return;
		const bound = new AbortController();
		await Promise.race([pump.done, this.#deps.clock.sleep(boundMs, bound.signal).catch(() => {})]);
		bound.abort();
	}

	async reopen(id: string): Promise<void> {
		const pump = await this.#pumps.get(id);
		if (pump === undefined) throw new AppError('NotFound', `Container "${id}" has no log`);
		await pump.writer.reopen();
	}

	forget(id: string): void {
		this.#pumps.delete(id);
	}

	/** Lets go of all streams; containers run on, and what they write meanwhile is in the engine's copy. */
	async stop(): Promise<void> {
		this.#stop.abort();
		const pumps = await Promise.allSettled(this.#pumps.values());
		await Promise.all(pumps.flatMap((p) => (p.status === 'fulfilled' ? [p.value.writer.close()] : [])));
	}

	async #attach(id: string, path: string, tty: boolean): Promise<Pump> {
		const writer = new LogWriter(path, this.#deps.clock);
		const query = { stream: true, stdout: true, stderr: true };
		const [socket] = await Promise.all([
			this.#deps.engine.hijack({ method: 'POST', path: `/containers/${id}/attach`, query }),
			writer.open(),
		]);
		return { writer, done: this.#carry(id, socket, writer, tty) };
	}

	async #carry(id: string, socket: Duplex, writer: LogWriter, tty: boolean): Promise<void> {
		const onStop = (): void => void socket.destroy();
		this.#stop.signal.addEventListener('abort', onStop, { once: true });
		try {
			let room = true;
			const take = (stream: StreamName, data: Buffer): void => {
				room = writer.write(stream, data) && room;
			};
			const demultiplexer = new Demultiplexer(take);
			for await (const chunk of socket as AsyncIterable<Buffer>) {
				if (tty) take('stdout', chunk);
				else demultiplexer.write(chunk);
				if (!room) await writer.drained();
				room = true;
			}
		} catch (error) {
			if (!this.#stop.signal.aborted) this.#deps.log.warn('a container log stream broke', { container: id, error: messageOf(error) });
		} finally {
			this.#stop.signal.removeEventListener('abort', onStop);
			await this.#end(writer);
		}
	}

	/** At the shim's own end an unfinished line is left to the engine's copy: the next shim writes it whole. */
	async #end(writer: LogWriter): Promise<void> {
		if (!this.#stop.signal.aborted) writer.end();
		await writer.close();
	}

	async #resume(id: string, path: string, tty: boolean): Promise<Pump> {
		const file = await tailOf(path);
		const writer = new LogWriter(path, this.#deps.clock);
		await writer.open();
		return { writer, done: this.#catchUp(id, writer, tty, file) };
	}

	async #catchUp(id: string, writer: LogWriter, tty: boolean, file: readonly LogEntry[]): Promise<void> {
		const { engine } = this.#deps;
		const signal = this.#stop.signal;
		const last = file.at(-1);
		const since = last === undefined ? undefined : new Date(Date.parse(last.time) - OVERLAP_MS).toISOString();
		try {
			const pieces: { time: string; stream: StreamName; text: Buffer }[] = [];
			await readEngineLog(
				engine,
				{ id, tty, since, follow: false, signal },
				(time, stream, text) => void pieces.push({ time, stream, text }),
			);
			for (const stream of ['stdout', 'stderr'] as const) {
				const engineEntries = pieces
					.filter((p) => p.stream === stream)
					.map((p) => ({ time: p.time, stream, text: p.text.toString('utf8').replace(/\n$/, '') }));
				const written = writtenCount(
					file.filter((e) => e.stream === stream),
					engineEntries,
				);
				for (const piece of pieces.filter((p) => p.stream === stream).slice(written))
					writer.write(stream, piece.text, Date.parse(piece.time));
			}
			const from = pieces.at(-1)?.time ?? since;
			let seen = pieces.filter((p) => p.time === from).length;
			await readEngineLog(engine, { id, tty, since: from, follow: true, signal }, async (time, stream, text) => {
				if (time === from && seen-- > 0) return;
				if (!writer.write(stream, text, Date.parse(time))) await writer.drained();
			});
		} catch (error) {
			if (!signal.aborted && !(error instanceof AppError && error.code === 'NotFound'))
				this.#deps.log.warn('a container log stream broke', { container: id, error: messageOf(error) });
		} finally {
			await this.#end(writer);
		}
	}
}

/** The last entries of the file; a line that a crash cut short is taken off first. */
async function tailOf(path: string): Promise<readonly LogEntry[]> {
	const size = await stat(path).then(
		(s) => s.size,
		() => 0,
	);
	if (size === 0) return [];
	const start = Math.max(0, size - TAIL_BYTES);
	const file = await open(path, 'r');
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
		const text = buffer.subarray(0, bytesRead);
		const end = text.lastIndexOf(10) + 1;
		if (end < bytesRead) await truncate(path, start + end);
		const whole = text.subarray(start === 0 ? 0 : text.indexOf(10) + 1, end);
		return parseEntries(whole.toString('utf8'));
	} finally {
		await file.close();
	}
}
