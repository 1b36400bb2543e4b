/** Listens for TLS connections, of which a few shake hands at a time. */
import { once } from 'node:events';
import { createServer as createTcp, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTls, type TLSSocket } from 'node:tls';
import type { Clock } from '../../../base/clock.ts';
import { NO_VERDICT } from './client-chain.ts';
import { Handshakes } from './handshakes.ts';

export interface ListenerOptions {
	/** Asked for each new connection, so that renewed certificates are taken up. */
	readonly certificate: () => { readonly cert: string; readonly key: string };
	/** PEM of the CAs whose client certificates are asked for. */
	readonly clientCa: string;
}

/** Who is told what. */
interface Listening {
	/** Of each connection that has shaken hands. */
	readonly connected: (socket: TLSSocket) => void;
	/** Why one has not. */
	readonly failed: (error: Error) => void;
	/** Why a new certificate is not taken up: the one before serves on. */
	readonly unusable: (error: unknown) => void;
}

/** Upstream's defaultKeepAlivePeriod: the kernel asks after whoever has said nothing for so long, and ends what nobody answers. */
const KEEP_ALIVE_MS = 180_000;

export class TlsListener {
	readonly #tcp = createTcp({ pauseOnConnect: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
	/** As they were accepted: some have not shaken hands yet. */
	readonly #sockets = new Set<Socket>();

	constructor({ certificate, clientCa: ca }: ListenerOptions, { connected, failed, unusable }: Listening, clock: Clock) {
		let current = certificate();
		const ALPNProtocols = ['h2', 'http/1.1'];
		const trust = { ca, crl: NO_VERDICT };
		const tls = createTls({ ...current, ...trust, requestCert: true, rejectUnauthorized: false, ALPNProtocols });
		tls.on('tlsClientError', failed);
		const handshakes = new Handshakes(clock);
		tls.on('secureConnection', (socket) => {
			connected(socket);
			handshakes.ended(socket);
		});
		this.#tcp.on('connection', (socket: Socket) => {
			this.#sockets.add(socket);
			socket.once('close', () => this.#sockets.delete(socket));
			handshakes.add(socket, () => {
				try {
					const fresh = certificate();
					if (fresh.cert !== current.cert) {
						tls.setSecureContext({ ...fresh, ...trust });
						current = fresh;
					}
				} catch (error) {
					unusable(error);
				}
				tls.emit('connection', socket);
			});
		});
	}

	get port(): number {
		return (this.#tcp.address() as AddressInfo).port;
	}

	async listen(port: number, host: string): Promise<void> {
		this.#tcp.listen(port, host);
		await once(this.#tcp, 'listening');
	}

	/** Takes no new connections. */
	retire(): void {
		if (this.#tcp.listening) this.#tcp.close();
	}

	async close(): Promise<void> {
		const closed = this.#tcp.listening ? once(this.#tcp, 'close') : undefined;
		this.retire();
		for (const socket of this.#sockets) socket.destroy();
		await closed;
	}
}
