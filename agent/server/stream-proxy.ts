/** Exec, attach and port-forward: the client's upgraded connection joined with the runtime's streaming server. */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../base/errors.ts';
import { letGo } from '../../base/let-go.ts';
import { watchIdle, type Idle } from '../../wire/upgrade/idle.ts';

/** Headers of the hop between client and kubelet, or ones that say who the client is: not the runtime's business. */
const DROPPED = new Set(['host', 'authorization', 'x-forwarded-for', 'x-forwarded-uri', 'x-forwarded-host', 'x-forwarded-proto']);

/** Sends the same request to `url` and joins the two connections. Resolves when both are closed. */
export async function joinStream(
	request: IncomingMessage,
	client: Duplex,
	head: Uint8Array,
	url: string,
	idle: Idle,
	signal: AbortSignal,
): Promise<void> {
	const to = new URL(url);
	const backend = await dial(to, signal);
	const lines = [`${request.method ?? 'POST'} ${to.pathname}${to.search} HTTP/1.1`, `Host: ${to.host}`];
	for (let i = 0; i + 1 < request.rawHeaders.length; i += 2) {
		const name = request.rawHeaders[i] ?? '';
		if (!DROPPED.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[i + 1] ?? ''}`);
	}
	backend.write(`${lines.join('\r\n')}\r\n\r\n`);
	if (head.length > 0) backend.write(head);
	await join(client, backend, idle, signal);
}

function dial(to: URL, signal: AbortSignal): Promise<Socket> {
	const secure = to.protocol === 'https:';
	const port = Number(to.port || (secure ? 443 : 80));
	const host = to.hostname.replace(/^\[|\]$/g, '');
	return new Promise((resolve, reject) => {
		signal.throwIfAborted();
		// The runtime's own server on this machine; its certificate is self-signed where it has one.
		const socket = secure ? connectTls({ host, port, rejectUnauthorized: false }) : connectTcp({ host, port });
		const fail = (error: Error): void =>
			reject(new AppError('Unavailable', `Cannot reach the runtime's streaming server: ${error.message}`, { cause: error }));
		socket.once('error', fail);
		socket.once(secure ? 'secureConnect' : 'connect', () => {
			socket.off('error', fail);
			socket.setNoDelay(true);
			resolve(socket);
		});
	});
}

/** Resolves when both are closed. */
export function join(client: Duplex, backend: Duplex, idle: Idle, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		let open = 2;
		const closed = (): void => {
			open--;
			letGo(client);
			letGo(backend);
			if (open > 0) return;
			signal.removeEventListener('abort', onAbort);
			watch[Symbol.dispose]();
			resolve();
		};
		const onAbort = (): void => {
			client.destroy();
			backend.destroy();
		};
		const watch = watchIdle(idle, onAbort);
		signal.addEventListener('abort', onAbort, { once: true });
		for (const stream of [client, backend]) {
			stream.on('error', () => {});
			stream.on('data', watch.heard);
			stream.once('close', () => void setImmediate(closed));
		}
		client.pipe(backend);
		backend.pipe(client);
	});
}
