/** The streaming server: takes the one-time URLs that Exec, Attach and PortForward answered, over SPDY/3.1 or WebSocket. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { acceptCommand, acceptPortForward } from '../../wire/remotecommand/accept.ts';
import { servePortForward } from '../../wire/remotecommand/port-forward.ts';
import type { Engine } from '../engine/engine.ts';
import type { ContainerInspect } from '../engine/types.ts';
import type { RuntimeState } from '../state/state.ts';
import { serveAttach, serveExec } from './commands.ts';
import { dialPod } from './dial.ts';
import type { StreamRequest, Streaming } from './streaming.ts';
import { Tokens } from './tokens.ts';

export interface StreamingDeps {
	readonly clock: Clock;
	readonly log: Log;
	readonly engine: Engine;
	readonly state: RuntimeState;
	readonly helperPath: string;
}

export class StreamingServer implements Streaming {
	readonly #deps: StreamingDeps;
	readonly #address: { readonly host: string; readonly port: number };
	readonly #tokens: Tokens<StreamRequest>;
	readonly #server: Server;
	readonly #sockets = new Set<Duplex>();

	constructor(address: { readonly host: string; readonly port: number }, deps: StreamingDeps) {
		this.#address = address;
		this.#deps = deps;
		this.#tokens = new Tokens(deps.clock);
		this.#server = createServer((_request, response) => response.writeHead(400).end('An upgrade to SPDY/3.1 or WebSocket is expected here\n'));
		this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
			this.#sockets.add(socket);
			socket.once('close', () => this.#sockets.delete(socket));
			socket.on('error', () => {});
			this.#serve(request, socket, head).catch((error: unknown) => {
				deps.log.debug('a stream ended early', { reason: messageOf(error) });
				socket.destroy();
			});
		});
	}

	url(request: StreamRequest): string {
		const { address, port } = this.#server.address() as AddressInfo;
		return `http://${address.includes(':') ? `[${address}]` : address}:${port}/${request.kind}/${this.#tokens.issue(request)}`;
	}

	start(): Promise<void> {
		return new Promise((resolve, reject) => {
			this.#server.once('error', reject);
			this.#server.listen(this.#address.port, this.#address.host, () => resolve());
		});
	}

	stop(): Promise<void> {
		return new Promise((resolve) => {
			this.#server.close(() => resolve());
			this.#server.closeAllConnections();
			for (const socket of this.#sockets) socket.destroy();
		});
	}

	async #serve(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
		const { clock, engine } = this.#deps;
		const request = this.#taken(incoming);
		if (request === undefined) {
			socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
			return;
		}
		switch (request.kind) {
			case 'exec':
				return serveExec(this.#deps, request, await acceptCommand(incoming, socket, head, request, clock));
			case 'attach': {
				const { Config } = await engine.call<ContainerInspect>({ method: 'GET', path: `/containers/${request.containerId}/json` });
				return serveAttach(this.#deps, request, await acceptCommand(incoming, socket, head, request, clock), Config.Tty === true);
			}
			case 'portforward': {
				const { stream, head: rest } = await acceptPortForward(incoming, socket, head);
				return servePortForward(stream, rest, (port) => this.#dial(request.sandboxId, port));
			}
		}
	}

	/** What the URL stands for; each is good once. */
	#taken(incoming: IncomingMessage): StreamRequest | undefined {
		const [, kind, token = ''] = new URL(incoming.url ?? '/', 'http://localhost').pathname.split('/');
		const request = this.#tokens.redeem(token);
		return request?.kind === kind ? request : undefined;
	}

	async #dial(sandboxId: string, port: number): Promise<Duplex> {
		const { engine, helperPath } = this.#deps;
		const { State } = await engine.call<ContainerInspect>({ method: 'GET', path: `/containers/${sandboxId}/json` });
		return dialPod(helperPath, State.Pid, port);
	}
}
