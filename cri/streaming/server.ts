/** The streaming server: takes the one-time URLs that Exec, Attach and PortForward answered. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Engine } from '../engine/engine.ts';
import type { RuntimeState } from '../state/state.ts';
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

	constructor(address: { readonly host: string; readonly port: number }, deps: StreamingDeps) {
		this.#address = address;
		this.#deps = deps;
		this.#tokens = new Tokens(deps.clock);
		this.#server = createServer((_request, response) => response.writeHead(404).end());
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
		void this.#deps;
		return new Promise((resolve) => {
			this.#server.close(() => resolve());
			this.#server.closeAllConnections();
		});
	}
}
