/** Accepting exec, attach and port-forward connections: SPDY/3.1 or WebSocket, whichever the client speaks, behind one session. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { acceptWebSocket, offeredProtocols } from '../websocket/accept.ts';
import { webSocketTunnel } from '../websocket/tunnel.ts';
import {
	isTextProtocol,
	PORT_CHANNELS,
	PORT_FORWARD,
	protocolVersion,
	SPDY_COMMAND,
	TUNNEL,
	WEBSOCKET_COMMAND,
	type CommandSession,
	type CommandWants,
} from './session.ts';
import { spdySession } from './spdy-session.ts';
import { webSocketSession } from './websocket-session.ts';

/** Exec or attach. AppError InvalidArgument after the refusal was answered. */
export async function acceptCommand(
	request: IncomingMessage,
	socket: Duplex,
	head: Uint8Array,
	wants: CommandWants,
	clock: Clock,
): Promise<CommandSession> {
	if (isWebSocket(request)) {
		const offered = offeredProtocols(request);
		const protocol = firstKnown(offered, WEBSOCKET_COMMAND);
		if (protocol === undefined) throw refuse(socket, WEBSOCKET_COMMAND.filter(Boolean), offered);
		const spoken = { version: protocolVersion(protocol), isText: isTextProtocol(protocol) };
		return webSocketSession(await acceptWebSocket(request, socket, head, protocol), wants, spoken, socket);
	}
	const protocol = answerSpdy(request, socket, SPDY_COMMAND);
	return spdySession(socket, head, wants, protocolVersion(protocol), clock);
}

/** Port-forward: the byte stream that carries SPDY, plain or inside a WebSocket, and what came with the request; or a WebSocket with channels. */
export type AcceptedPortForward =
	| { readonly type: 'spdy'; readonly stream: Duplex; readonly head: Uint8Array }
	| { readonly type: 'channels'; readonly socket: WebSocket; readonly isText: boolean };

export async function acceptPortForward(request: IncomingMessage, socket: Duplex, head: Uint8Array): Promise<AcceptedPortForward> {
	if (!isWebSocket(request)) {
		answerSpdy(request, socket, [PORT_FORWARD]);
		return { type: 'spdy', stream: socket, head };
	}
	const offered = offeredProtocols(request);
	const protocol = offered.includes(TUNNEL) ? TUNNEL : firstKnown(offered, PORT_CHANNELS);
	if (protocol === undefined) throw refuse(socket, [TUNNEL, ...PORT_CHANNELS].filter(Boolean), offered);
	const accepted = await acceptWebSocket(request, socket, head, protocol);
	return protocol === TUNNEL
		? { type: 'spdy', stream: webSocketTunnel(accepted, socket), head: new Uint8Array() }
		: { type: 'channels', socket: accepted, isText: isTextProtocol(protocol) };
}

/** Of what a WebSocket's client offers the first that is known, as by upstream's wsstream; '' where it offers nothing. */
function firstKnown(offered: readonly string[], known: readonly string[]): string | undefined {
	return offered.length === 0 ? '' : offered.find((one) => known.includes(one));
}

function isWebSocket(request: IncomingMessage): boolean {
	return /^websocket$/i.test(request.headers.upgrade ?? '');
}

/** The 101 answer with the newest protocol both know; a client that offers none speaks the oldest. */
function answerSpdy(request: IncomingMessage, socket: Duplex, known: readonly string[]): string {
	if (!/^spdy\/3\.1$/i.test(request.headers.upgrade ?? '')) {
		socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
		throw new AppError('InvalidArgument', `Cannot upgrade to "${request.headers.upgrade ?? ''}": SPDY/3.1 and WebSocket are spoken here`);
	}
	const offered = String(request.headers['x-stream-protocol-version'] ?? '')
		.split(',')
		.map((p) => p.trim())
		.filter(Boolean);
	const protocol = offered.length === 0 ? undefined : known.find((p) => offered.includes(p));
	if (offered.length > 0 && protocol === undefined) throw refuse(socket, known, offered);
	const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: SPDY/3.1'];
	if (protocol !== undefined) lines.push(`X-Stream-Protocol-Version: ${protocol}`);
	socket.write(`${lines.join('\r\n')}\r\n\r\n`);
	return protocol ?? '';
}

function refuse(socket: Duplex, known: readonly string[], offered: readonly string[]): AppError {
	const accepted = known.map((p) => `X-Accepted-Stream-Protocol-Versions: ${p}\r\n`).join('');
	const message = `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${known.join(' ')}]`;
	socket.end(
		`HTTP/1.1 403 Forbidden\r\n${accepted}Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(message)}\r\nConnection: close\r\n\r\n${message}`,
	);
	return new AppError('InvalidArgument', message);
}
