/**
 * One container's log: fed from its attach stream, and from the engine's copy whenever that stream may have missed something — after a
 * restart of the shim or the engine, after a broken connection. When the container has ended, the copy is compared once more.
 *
 *   attached --stream ends--> catching up --nothing missing, container over--> done
 *   resumed ----------------> catching up --still runs--> following --stream ends--> catching up
 */
import type { Duplex } from 'node:stream';
import { abortable } from '../../base/abort.ts';
import { delayMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { codeOf, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { Demultiplexer, type StreamName } from '../engine/demux.ts';
import type { Engine } from '../engine/engine.ts';
import { type CatchUp, follow, writeMissing } from './catch-up.ts';
import { type Tail, tailOf } from './tail.ts';
import { LogWriter } from './writer.ts';

export interface PumpDeps {
	readonly engine: Engine;
	readonly clock: Clock;
	readonly log: Log;
	/** Aborts when the shim ends, or the container is removed. */
	readonly signal: AbortSignal;
}

export interface LogSource {
	readonly id: string;
	/** Empty where no log is kept. */
	readonly path: string;
	/** The pod's log folder, above it. */
	readonly root: string;
	readonly tty: boolean;
	/** How far the container is, asked of the engine anew: whoever else wants to know its end by then is told by the same answer. */
	readonly look: () => Promise<Progress>;
}

export type Progress = 'created' | 'running' | 'over';

const RETRY = { initialMs: 50, maxMs: 5000, jitter: 0.2 };

export class Pump {
	readonly #deps: PumpDeps;
	readonly #source: LogSource;
	readonly #writer: LogWriter;
	readonly done: Promise<void>;

	/** Attached before the container starts: nothing is lost at its start. */
	static async attach(source: LogSource, deps: PumpDeps): Promise<Pump> {
		const writer = new LogWriter(source.path, source.root, deps.clock);
		const attaching = attachStream(deps.engine, source.id, deps.signal);
		try {
			const [socket] = await Promise.all([attaching, writer.open()]);
			return new Pump(source, deps, writer, socket);
		} catch (error) {
			await Promise.all([attaching.then((socket) => socket.destroy()).catch(() => {}), writer.close()]);
			throw error;
		}
	}

	/** For containers that ran while no shim did. */
	static resume(source: LogSource, deps: PumpDeps): Pump {
		return new Pump(source, deps, new LogWriter(source.path, source.root, deps.clock), undefined);
	}

	private constructor(source: LogSource, deps: PumpDeps, writer: LogWriter, socket: Duplex | undefined) {
		this.#source = source;
		this.#deps = deps;
		this.#writer = writer;
		this.done = this.#run(socket);
	}

	reopen(): Promise<void> {
		return this.#writer.reopen();
	}

	async #run(socket: Duplex | undefined): Promise<void> {
		const { signal, log } = this.#deps;
		try {
			if (socket !== undefined) await this.#carry(socket);
			for (let attempt = 0; !signal.aborted; attempt++) {
				try {
					if (await this.#catchUp(attempt)) break;
				} catch (error) {
					if (codeOf(error) === 'NotFound' || /dead or marked for removal/.test(messageOf(error))) break;
					if (isUnreadable(error)) break;
					if (!signal.aborted) log.warn('cannot read on in a container log', { container: this.#source.id, error: messageOf(error) });
					await this.#wait(attempt);
				}
			}
		} finally {
			// At the shim's own end an unfinished line is left to the engine's copy: the next shim writes it whole.
			if (!signal.aborted) this.#writer.end();
			await this.#writer.close();
		}
	}

	async #carry(socket: Duplex): Promise<void> {
		const { signal, log } = this.#deps;
		const writer = this.#writer;
		const onStop = (): void => void socket.destroy();
		signal.addEventListener('abort', onStop, { once: true });
		if (signal.aborted) onStop();
		try {
			let room = true;
			const take = (stream: StreamName, data: Buffer): void => {
				room = writer.write(stream, data) && room;
			};
			const demultiplexer = new Demultiplexer(take);
			for await (const chunk of socket as AsyncIterable<Buffer>) {
				if (this.#source.tty) take('stdout', chunk);
				else demultiplexer.write(chunk);
				if (!room) await writer.drained();
				room = true;
			}
		} catch (error) {
			if (!signal.aborted) log.warn('a container log stream broke', { container: this.#source.id, error: messageOf(error) });
		} finally {
			signal.removeEventListener('abort', onStop);
		}
	}

	/** True once the container is over and all that it said is in the file. */
	async #catchUp(attempt: number): Promise<boolean> {
		const { engine, signal } = this.#deps;
		const { id, tty } = this.#source;
		const what: CatchUp = { engine, id, tty, writer: this.#writer, signal };
		// Looked at first: what does not run any more has its whole output in the engine's copy.
		const [status, tail] = await Promise.all([this.#look(), this.#tail()]);
		if (status === 'created') {
			await this.#attachAgain();
			return false;
		}
		const { from } = await writeMissing(what, tail);
		if (status === 'over') return true;
		if ((await follow(what, from)) === 0) await this.#wait(attempt);
		return false;
	}

	/** All that came is in the file first. */
	async #tail(): Promise<Tail> {
		const { path, root } = this.#source;
		await this.#writer.open();
		await this.#writer.drained();
		return tailOf(path, root);
	}

	/** The engine follows only what runs. One that has started meanwhile is caught up with instead, from its first line on. */
	async #attachAgain(): Promise<void> {
		const { engine, signal } = this.#deps;
		const socket = await attachStream(engine, this.#source.id, signal);
		if ((await this.#look()) === 'created') await this.#carry(socket);
		else socket.destroy();
	}

	#look(): Promise<Progress> {
		return abortable(this.#source.look(), this.#deps.signal);
	}

	async #wait(attempt: number): Promise<void> {
		const { clock, signal } = this.#deps;
		await clock.sleep(delayMs(RETRY, attempt, clock.random()), signal).catch(() => {});
	}
}

function attachStream(engine: Engine, id: string, signal: AbortSignal): Promise<Duplex> {
	const query = { stream: true, stdout: true, stderr: true };
	return engine.hijack({ method: 'POST', path: `/containers/${id}/attach`, query, signal });
}

/** A log driver that keeps nothing to be read: then the attach stream is all there is. */
function isUnreadable(error: unknown): boolean {
	return /logging driver does not support reading/.test(messageOf(error));
}
