/** Sockets of a client's connections, and why there is none, in the words of Go's clients. */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { NotConnected } from './session.ts';

/** For all of it, TLS included (grpc-go's minConnectTimeout). */
const CONNECT_MS = 20_000;

/** PEM of the server's CA and, where asked for, the client's certificate and key. */
export interface ClientTls {
	readonly caPem: string;
	readonly certPem?: string;
	readonly keyPem?: string;
}

export type Target =
	| { readonly kind: 'unix'; readonly path: string }
	| { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly address: string };

/** Of names as gRPC has them (doc/naming.md): "unix:///run/x.sock", "unix-abstract:///name", and the path or "host:port" alone. */
export function targetOf(address: string): Target {
	if (address.startsWith('/')) return { kind: 'unix', path: address };
	if (address.startsWith('unix-abstract:')) return { kind: 'unix', path: address.replace(/^unix-abstract:(\/\/)?/, '\0') };
	if (address.startsWith('unix:')) return { kind: 'unix', path: address.replace(/^unix:(\/\/)?/, '') };
	const [, host = '', port = NaN] = /^(.*):(\d+)$/.exec(address) ?? [];
	return { kind: 'tcp', host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port), address };
}

/** @throws NotConnected */
export function dial(target: Target, tls: ClientTls | undefined, clock: Clock, closed: AbortSignal): Promise<Socket> {
	return new Promise((resolve, reject) => {
		const misdirected = target.kind === 'tcp' ? noAddress(target) : undefined;
		if (misdirected !== undefined) return reject(notDialled(`dial tcp: address ${misdirected}`));
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
		const onError = (error: Error): void => reject(notDialled(dialError(target, error), { cause: error }));
		const timeout = clock.after(CONNECT_MS, () => socket.destroy(Object.assign(new Error('i/o timeout'), { code: TOO_LONG })));
		const onClosed = (): void => {
			socket.destroy();
			reject(closing());
		};
		closed.addEventListener('abort', onClosed, { once: true });
		socket.once('error', onError);
		const settled = (): void => {
			timeout[Symbol.dispose]();
			closed.removeEventListener('abort', onClosed);
		};
		socket.once('close', settled);
		socket.once(secure ? 'secureConnect' : 'connect', () => {
			settled();
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

const TOO_LONG = 'KUBELING_DIAL_TIMEOUT';

/** What of it is none. */
function noAddress({ address, port }: Target & { readonly kind: 'tcp' }): string | undefined {
	if (Number.isNaN(port)) return `${address}: missing port in address`;
	return port > 65_535 ? `${port}: invalid port` : undefined;
}

export function closing(): AppError {
	return new AppError('Canceled', 'grpc: the client connection is closing');
}

function notDialled(why: string, options?: ErrorOptions): NotConnected {
	return new NotConnected(`connection error: desc = "transport: Error while dialing: ${why}"`, options);
}

function dialError(target: Target, error: Error): string {
	const { errors, code = '' } = error as NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] };
	const words = WORDS[errors?.[0]?.code ?? code];
	const where = target.kind === 'unix' ? `unix ${target.path.replace(/^\0/, '@')}` : `tcp ${target.address}`;
	if (words !== undefined) return `dial ${where}: connect: ${words}`;
	if (code === TOO_LONG) return `dial ${where}: ${error.message}`;
	return target.kind === 'tcp' && /^(ENOTFOUND|EAI_AGAIN)$/.test(code) ? `dial tcp: lookup ${target.host}: no such host` : error.message;
}
