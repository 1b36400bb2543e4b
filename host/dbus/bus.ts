/** A connection to a message bus: calls, signals, and names of one's own. Descriptors cannot be passed. */
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { AppError } from '../../base/errors.ts';
import type { Value } from './marshal.ts';
import { decode, encode, messageLength, type Message } from './message.ts';

const SYSTEM = 'unix:path=/run/dbus/system_bus_socket';
const BUS = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' } as const;

export interface Call {
	readonly destination: string;
	readonly path: string;
	readonly interface: string;
	readonly member: string;
	readonly signature?: string;
	readonly body?: readonly Value[];
}

/** The system bus of this machine, as every program finds it. */
export function systemBusAddress(env: NodeJS.ProcessEnv = process.env): string {
	return env['DBUS_SYSTEM_BUS_ADDRESS'] || SYSTEM;
}

export class Bus {
	readonly #socket: Socket;
	readonly #waiting = new Map<number, { resolve(message: Message): void; reject(error: unknown): void }>();
	readonly #listeners = new Set<(message: Message) => void>();
	#serial = 0;
	#rest: Buffer = Buffer.alloc(0);
	/** Resolves when the connection has ended. */
	readonly closed: Promise<void>;

	private constructor(socket: Socket) {
		this.#socket = socket;
		this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
		socket.on('error', () => {});
		socket.once('close', () => {
			for (const { reject } of this.#waiting.values()) reject(new AppError('Unavailable', 'The message bus has gone'));
			this.#waiting.clear();
		});
	}

	/** AppError Unavailable where there is none. */
	static async connect(address: string, signal: AbortSignal): Promise<Bus> {
		const found = /unix:(path|abstract)=([^,;]+)/.exec(address);
		if (found === null) throw new AppError('InvalidArgument', `"${address}" is no address of a bus on this machine`);
		const [, kind, name = ''] = found;
		const socket = connect(kind === 'abstract' ? `\0${name}` : name);
		try {
			await once(socket, 'connect', { signal });
			const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
			socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
			const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
			if (!answer.toString('latin1').startsWith('OK ')) throw new AppError('Unauthenticated', 'The message bus refuses this user');
			socket.write('BEGIN\r\n');
		} catch (cause) {
			socket.destroy();
			if (cause instanceof AppError) throw cause;
			throw new AppError('Unavailable', `Cannot reach the message bus at "${address}"`, { cause });
		}
		const bus = new Bus(socket);
		socket.on('data', (bytes: Buffer) => bus.#take(bytes));
		await bus.call({ ...BUS, member: 'Hello' }, signal);
		return bus;
	}

	/** The answer's values; AppError Unavailable or Unknown with the service's message. */
	async call(call: Call, signal: AbortSignal): Promise<readonly Value[]> {
		signal.throwIfAborted();
		const serial = ++this.#serial;
		const answer = Promise.withResolvers<Message>();
		this.#waiting.set(serial, answer);
		const onAbort = (): void => answer.reject(signal.reason);
		signal.addEventListener('abort', onAbort, { once: true });
		try {
			this.send({ type: 'call', serial, ...call });
			const message = await answer.promise;
			if (message.type === 'error') throw new AppError('Unknown', `${message.errorName ?? 'error'}: ${String(message.body?.[0] ?? '')}`);
			return message.body ?? [];
		} finally {
			signal.removeEventListener('abort', onAbort);
			this.#waiting.delete(serial);
		}
	}

	/** Signals and calls that arrive, from now on; dispose ends it. */
	listen(listener: (message: Message) => void): Disposable {
		this.#listeners.add(listener);
		return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
	}

	/** Has the bus send what fits the rule (dbus-specification, "Match Rules"). */
	async match(rule: string, signal: AbortSignal): Promise<void> {
		await this.call({ ...BUS, member: 'AddMatch', signature: 's', body: [rule] }, signal);
	}

	/** Be found under this name. */
	async own(name: string, signal: AbortSignal): Promise<void> {
		const [code] = await this.call({ ...BUS, member: 'RequestName', signature: 'su', body: [name, 0] }, signal);
		if (code !== 1) throw new AppError('AlreadyExists', `The name "${name}" is taken on the bus`);
	}

	/** An answer, or a signal of one's own; a serial of 0 is chosen. */
	send(message: Message): void {
		this.#socket.write(encode(message.serial === 0 ? { ...message, serial: ++this.#serial } : message));
	}

	close(): void {
		this.#socket.destroy();
	}

	#take(bytes: Buffer): void {
		this.#rest = Buffer.concat([this.#rest, bytes]);
		for (;;) {
			const length = messageLength(this.#rest);
			if (length === undefined || this.#rest.length < length) return;
			const message = decode(this.#rest.subarray(0, length));
			this.#rest = this.#rest.subarray(length);
			const waiting = message.replySerial === undefined ? undefined : this.#waiting.get(message.replySerial);
			if (waiting !== undefined) waiting.resolve(message);
			else for (const listener of this.#listeners) listener(message);
		}
	}
}
