/** The streaming server: takes the one-time URLs that Exec, Attach and PortForward answered, over SPDY or WebSocket. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { hostPort } from '../../base/host-port.ts';
import type { Log } from '../../base/log.ts';
import { acceptCommand, acceptPortForward } from '../../wire/remotecommand/accept.ts';
import { servePortChannels } from '../../wire/remotecommand/port-channels.ts';
import { servePortForward } from '../../wire/remotecommand/port-forward.ts';
import type { CommandEnd, CommandSession } from '../../wire/remotecommand/session.ts';
import type { Engine } from '../engine/engine.ts';
import type { RuntimeState } from '../state/state.ts';
import { dialPort } from './port-dial.ts';
import { attachTo, execIn } from './process-io.ts';
import type { StreamRequest, Streaming } from './streaming.ts';
import { Tokens } from './tokens.ts';

export interface StreamingDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly engine: Engine;
	readonly state: RuntimeState;
	readonly helperPath: string;
	/** PEM of certificate and key: the URLs are https then. */
	readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

interface Address {
	readonly host: string;
	readonly port: number;
}

/** How long a client may take to say what it wants. */
const HEADERS_MS = 10_000;
/** Node.js looks at its connections at an interval, though there be none. The longest that a timer takes: each has a bound of its own here. */
const NEVER_MS = 2 ** 31 - 1;

export class StreamingServer implements Streaming {
	readonly #deps: StreamingDeps;
	readonly #address: Address;
	readonly #tokens: Tokens<StreamRequest>;
	readonly #server: Server;
	readonly #sockets = new Set<Duplex>();
	readonly #sessions = new Set<Promise<void>>();
	/** Whom nobody knows the wish of yet, and until when. */
	readonly #waitedFor = new Map<Duplex, Disposable>();
	readonly #stop = new AbortController();

	constructor(address: Address, deps: StreamingDeps) {
		this.#address = address;
		this.#deps = deps;
		this.#tokens = new Tokens(deps.clock);
		const onRequest: RequestListener = (_request, response) => {
			response.writeHead(404).end('This server only takes upgrades to SPDY/3.1 and WebSocket.\n');
		};
		const unchecked = { connectionsCheckingInterval: NEVER_MS };
		this.#server =
			deps.tls === undefined
				? createServer(unchecked, onRequest)
				: createTlsServer({ ...unchecked, ...deps.tls, minVersion: 'TLSv1.2', handshakeTimeout: HEADERS_MS }, onRequest);
		this.#server.on(deps.tls === undefined ? 'connection' : 'secureConnection', (socket: Duplex) => this.#waitFor(socket));
		this.#server.on('upgrade', (request, socket, head) => this.#onUpgrade(request, socket, head));
	}

	url(request: StreamRequest): string {
		const { address, port } = this.#server.address() as AddressInfo;
		return `${this.#deps.tls === undefined ? 'http' : 'https'}://${hostPort(address, port)}/${request.kind}/${this.#tokens.issue(request)}`;
	}

	start(): Promise<void> {
		return new Promise((resolve, reject) => {
			this.#server.once('error', reject);
			this.#server.listen(this.#address.port, this.#address.host, () => resolve());
		});
	}

	async stop(): Promise<void> {
		this.#stop.abort();
		const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
		this.#server.closeAllConnections();
		for (const socket of this.#sockets) socket.destroy();
		await Promise.all([closed, ...this.#sessions]);
	}

	/** Whoever connects and says nothing is let go: nobody can hold connections for nothing. */
	#waitFor(socket: Duplex): void {
		this.#waitedFor.set(
			socket,
			this.#deps.clock.after(HEADERS_MS, () => socket.destroy()),
		);
		socket.once('close', () => this.#heard(socket));
	}

	#heard(socket: Duplex): void {
		this.#waitedFor.get(socket)?.[Symbol.dispose]();
		this.#waitedFor.delete(socket);
	}

	#onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
		this.#heard(socket);
		this.#sockets.add(socket);
		socket.once('close', () => this.#sockets.delete(socket));
		socket.on('error', () => {}); // a client that breaks off ends its session, which is told by other means
		const [, kind, token = ''] = (request.url ?? '').split(/[/?]/);
		const wanted = this.#tokens.redeem(token);
		if (wanted === undefined || wanted.kind !== kind) {
			socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
			return;
		}
		const session = this.#serve(wanted, request, socket, head)
			.catch((error: unknown) => {
				socket.destroy();
				this.#deps.log.debug('a streaming session failed', { kind: wanted.kind, error: messageOf(error) });
			})
			.finally(() => this.#sessions.delete(session));
		this.#sessions.add(session);
	}

	async #serve(wanted: StreamRequest, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
		const { clock, engine, state, helperPath } = this.#deps;
		if (wanted.kind === 'portforward') {
			const { live } = await state.sandbox(wanted.sandboxId);
			if (live.state !== 'running') throw new AppError('FailedPrecondition', `Pod sandbox "${wanted.sandboxId}" does not run`);
			const accepted = await acceptPortForward(request, socket, head);
			const dial = (port: number): Promise<Duplex> => dialPort(helperPath, live.pid, port);
			if (accepted.type === 'spdy') return servePortForward(accepted.stream, accepted.head, dial);
			const { ports, sandboxId: pod } = wanted;
			return servePortChannels(accepted.socket, { ports, pod, isText: accepted.isText }, dial);
		}
		const session = await acceptCommand(request, socket, head, wanted, clock);
		const run = async (signal: AbortSignal): Promise<CommandEnd> => {
			if (wanted.kind === 'exec') return { type: 'exit', code: await execIn({ engine, clock }, wanted, session, signal) };
			await attachTo({ engine, clock }, wanted, session, signal);
			return { type: 'exit', code: 0 };
		};
		await this.#runSession(session, run);
	}

	/** Runs until the process ends or the client leaves, and tells the client how it went. */
	async #runSession(session: CommandSession, run: (signal: AbortSignal) => Promise<CommandEnd>): Promise<void> {
		const gone = new AbortController();
		session.closed.then(
			() => gone.abort(),
			() => gone.abort(),
		);
		const end = await run(AbortSignal.any([gone.signal, this.#stop.signal])).catch(
			(error: unknown): CommandEnd => ({ type: 'error', message: messageOf(error) }),
		);
		await session.finish(end);
	}
}
