/**
 * A client's connection: made for the first call, and again for the first one after it was lost. Calls that come meanwhile wait for it; they all fail where it
 * cannot be made. It keeps no process alive but during calls.
 */
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AppError } from '../../base/errors.ts';
import { CONNECTION_WINDOW_BYTES, SESSION_OPTIONS } from './http2.ts';

export interface Peer {
	/** "unix:///run/x.sock", "/run/x.sock", or "host:port". */
	readonly address: string;
	/** For TCP: PEM of the server's CA and, where asked for, the client's certificate and key. */
	readonly tls?: { readonly caPem: string; readonly certPem?: string; readonly keyPem?: string };
}

/** No server can have seen the call. */
export class NotConnected extends AppError {
	constructor(message: string, options?: ErrorOptions) {
		super('Unavailable', message, options);
	}
}

/** One connection, as long as it lasts. */
export class Session {
	readonly #http2: ClientHttp2Session;
	readonly #socket: Socket;
	#calls = 0;

	constructor(http2: ClientHttp2Session, socket: Socket) {
		this.#http2 = http2;
		this.#socket = socket;
		http2.on('error', () => {}); // its streams tell
		http2.unref();
	}

	/** What ends a stream of it, it ends itself. */
	get isLost(): boolean {
		return this.#socket.destroyed || this.#http2.destroyed;
	}
	get isUsable(): boolean {
		return !this.isLost && !this.#http2.closed;
	}

	/** @throws AppError where it was lost meanwhile */
	request(headers: readonly string[]): ClientHttp2Stream {
		if (!this.isUsable) throw new NotConnected('connection error: desc = "transport: the connection was lost"');
		const stream = this.#http2.request(headers as string[]);
		if (this.#calls++ === 0) this.#http2.ref();
		stream.once('close', () => {
			if (--this.#calls === 0 && !this.#http2.destroyed) this.#http2.unref();
		});
		return stream;
	}

	/** Once the calls under way are over. */
	close(): void {
		this.#http2.close();
	}
}

export class Connection {
	readonly #target: Target;
	readonly #tls: Peer['tls'];
	#session: Session | undefined;
	#dialling: Promise<Session> | undefined;
	readonly #closed = new AbortController();

	constructor({ address, tls }: Peer) {
		this.#target = targetOf(address);
		this.#tls = tls;
	}

	/** Of calls' `:authority`: strict servers refuse a path as one. */
	get authority(): string {
		return this.#target.kind === 'unix' ? 'localhost' : this.#target.address;
	}

	get scheme(): 'http' | 'https' {
		return this.#tls === undefined ? 'http' : 'https';
	}

	/** At once where there is a connection. @throws NotConnected */
	session(): Session | Promise<Session> {
		if (this.#session?.isUsable) return this.#session;
		if (this.#closed.signal.aborted) return Promise.reject(closing());
		return (this.#dialling ??= this.#dial().finally(() => (this.#dialling = undefined)));
	}

	/** Calls under way go on. */
	close(): void {
		this.#closed.abort();
		this.#session?.close();
	}

	async #dial(): Promise<Session> {
		const socket = await dial(this.#target, this.#tls, this.#closed.signal);
		const http2 = connectHttp2(`http://${this.authority}`, {
			...SESSION_OPTIONS,
			createConnection: () => socket,
			peerMaxConcurrentStreams: 2 ** 32 - 1, // until it says how many
		});
		http2.once('connect', () => http2.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
		const session = new Session(http2, socket);
		if (this.#closed.signal.aborted) session.close();
		return (this.#session = session);
	}
}

function closing(): AppError {
	return new AppError('Canceled', 'grpc: the client connection is closing');
}

type Target =
	| { readonly kind: 'unix'; readonly path: string }
	| { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly address: string };

function targetOf(address: string): Target {
	if (address.startsWith('/')) return { kind: 'unix', path: address };
	if (address.startsWith('unix:')) return { kind: 'unix', path: address.replace(/^unix:(\/\/)?/, '') };
	const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
	return { kind: 'tcp', host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port), address };
}

function dial(target: Target, tls: Peer['tls'], closed: AbortSignal): Promise<Socket> {
	return new Promise((resolve, reject) => {
		const secure = tls !== undefined && target.kind === 'tcp';
		const socket = !secure
			? connect(target.kind === 'unix' ? { path: target.path } : { host: target.host, port: target.port, noDelay: true })
			: connectTls({
					host: target.host,
					port: target.port,
					...(isIP(target.host) === 0 ? { servername: target.host } : {}),
					ca: tls.caPem,
					...(tls.certPem === undefined ? {} : { cert: tls.certPem }),
					...(tls.keyPem === undefined ? {} : { key: tls.keyPem }),
					ALPNProtocols: ['h2'],
				});
		const onError = (error: Error): void => reject(new NotConnected(dialError(target, error), { cause: error }));
		const onClosed = (): void => {
			socket.destroy();
			reject(closing());
		};
		closed.addEventListener('abort', onClosed, { once: true });
		socket.once('error', onError);
		socket.once('close', () => closed.removeEventListener('abort', onClosed));
		socket.once(secure ? 'secureConnect' : 'connect', () => {
			closed.removeEventListener('abort', onClosed);
			socket.off('error', onError);
			resolve(socket);
		});
	});
}

/** As Go's system errors read. */
const WORDS: Readonly<Record<string, string>> = {
	EACCES: 'permission denied',
	ECONNREFUSED: 'connection refused',
	ECONNRESET: 'connection reset by peer',
	EHOSTUNREACH: 'no route to host',
	ENETUNREACH: 'network is unreachable',
	ENOENT: 'no such file or directory',
	ETIMEDOUT: 'connection timed out',
};

/** In the words of Go's clients. */
function dialError(target: Target, error: Error): string {
	const { errors, code = '' } = error as NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] };
	const words = WORDS[errors?.[0]?.code ?? code];
	const where = target.kind === 'unix' ? `unix ${target.path}` : `tcp ${target.address}`;
	const said =
		words !== undefined
			? `dial ${where}: connect: ${words}`
			: target.kind === 'tcp' && /^(ENOTFOUND|EAI_AGAIN)$/.test(code)
				? `dial tcp: lookup ${target.host}: no such host`
				: error.message;
	return `connection error: desc = "transport: Error while dialing: ${said}"`;
}
