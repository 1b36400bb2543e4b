/** The streaming server: takes the one-time URLs that Exec, Attach and PortForward answered, over SPDY or WebSocket. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { acceptCommand, acceptPortForward } from '../../wire/remotecommand/accept.ts';
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
const CHECKED = { connectionsCheckingInterval: 2000 };

export class StreamingServer implements Streaming {
	readonly #deps: StreamingDeps;
	readonly #address: Address;
	readonly #tokens: Tokens<StreamRequest>;
	readonly #server: Server;
	readonly #sockets = new Set<Duplex>();
	readonly #sessions = new Set<Promise<void>>();
	readonly #stop = new AbortController();

	constructor(address: Address, deps: StreamingDeps) {
		this.#address = address;
		this.#deps = deps;
		this.#tokens = new Tokens(deps.clock);
		const onRequest: RequestListener = (_request, response) => {
			response.writeHead(404).end('This server only takes upgrades to SPDY/3.1 and WebSocket.\n');
		};
		this.#server =
			deps.tls === undefined
				? createServer(CHECKED, onRequest)
				: createTlsServer({ ...CHECKED, ...deps.tls, minVersion: 'TLSv1.2' }, onRequest);
		// Whoever connects and says nothing is let go: nobody can hold connections for nothing.
		this.#server.headersTimeout = HEADERS_MS;
		this.#server.requestTimeout = HEADERS_MS;
		this.#server.on('upgrade', (request, socket, head) => this.#onUpgrade(request, socket, head));
	}

	url(request: StreamRequest): string {
		const { address, port } = this.#server.address() as AddressInfo;
		return `${this.#deps.tls === undefined ? 'http' : 'https'}://${address.includes(':') ? `[${address}]` : address}:${port}/${request.kind}/${this.#tokens.issue(request)}`;
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

	#onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
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
			return servePortForward(accepted.stream, accepted.head, (port) => dialPort(helperPath, live.pid, port));
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
