/** Opens connections to an API server: TLS with ALPN, or plain TCP for http:// servers. */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { withDeadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { AppError, messageOf } from '../base/errors.ts';

/** PEM texts; read anew for every connection, so that renewed certificates take effect. */
export interface TlsMaterial {
	/** Trusted authorities; the system's when absent. */
	readonly ca?: string | undefined;
	readonly cert?: string | undefined;
	readonly key?: string | undefined;
}

export interface DialOptions {
	/** "https://host:port/prefix" or "http://…". */
	readonly server: string;
	readonly tls?: TlsMaterial | (() => TlsMaterial | Promise<TlsMaterial>);
	/** The name to expect in the server's certificate, where it is not the host of `server`. */
	readonly serverName?: string;
	/** Trust whatever the server shows. */
	readonly insecureSkipTlsVerify?: boolean;
	readonly clock: Clock;
}

export interface Connection {
	readonly socket: Socket;
	readonly protocol: 'h2' | 'http/1.1';
}

/** net.Dialer's timeout in client-go's transport. */
const DIAL_TIMEOUT_MS = 30_000;

/** A connected socket, TLS handshake done; `offer` lists the protocols in order of preference. Rejects with AppError Unavailable. */
export async function dial(options: DialOptions, offer: readonly Connection['protocol'][], signal: AbortSignal): Promise<Connection> {
	const url = new URL(options.server);
	const secure = url.protocol === 'https:';
	const host = url.hostname.replace(/^\[|\]$/g, '');
	const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
	const tls = typeof options.tls === 'function' ? await options.tls() : options.tls;
	using deadline = withDeadline(options.clock, DIAL_TIMEOUT_MS, `connecting to ${url.host}`, signal);
	deadline.signal.throwIfAborted();
	const name = options.serverName ?? host;
	const socket = secure
		? connectTls({
				host,
				port,
				ALPNProtocols: [...offer],
				rejectUnauthorized: options.insecureSkipTlsVerify !== true,
				...(isIp(name) ? {} : { servername: name }),
				...(tls?.ca === undefined ? {} : { ca: tls.ca }),
				...(tls?.cert === undefined ? {} : { cert: tls.cert }),
				...(tls?.key === undefined ? {} : { key: tls.key }),
			})
		: connectTcp({ host, port });
	socket.setNoDelay(true);
	await new Promise<void>((resolve, reject) => {
		const onAbort = (): void => {
			socket.destroy();
			reject(deadline.signal.reason as Error);
		};
		const fail = (cause: Error): void => {
			deadline.signal.removeEventListener('abort', onAbort);
			reject(new AppError('Unavailable', `Cannot connect to the API server at ${url.host}: ${messageOf(cause)}`, { cause }));
		};
		deadline.signal.addEventListener('abort', onAbort, { once: true });
		socket.once('error', fail);
		socket.once(secure ? 'secureConnect' : 'connect', () => {
			deadline.signal.removeEventListener('abort', onAbort);
			socket.removeListener('error', fail);
			resolve();
		});
	});
	const agreed = 'alpnProtocol' in socket ? socket.alpnProtocol : false;
	return { socket, protocol: agreed === 'h2' ? 'h2' : 'http/1.1' };
}

function isIp(name: string): boolean {
	return name.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(name);
}
