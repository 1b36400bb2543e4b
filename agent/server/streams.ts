/**
 * Exec, attach and port-forward on their way to the runtime, whose streaming server speaks SPDY and older WebSockets: of what it does not
 * know, a command is translated, and what a tunnel carries goes on as it is. This is what a node declares as ExtendWebSocketsToKubelet.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { tunnelledProtocols, tunnelOf } from '../../wire/remotecommand/asked.ts';
import { SPDY_COMMAND, type CommandWants } from '../../wire/remotecommand/session.ts';
import { translateCommand } from '../../wire/remotecommand/translate.ts';
import { SPDY } from '../../wire/spdy/upgrade.ts';
import { dialUpgrade, type Upgraded } from '../../wire/upgrade/dial.ts';
import type { Idle } from '../../wire/upgrade/idle.ts';
import { acceptWebSocket } from '../../wire/websocket/accept.ts';
import { handshakeFault } from '../../wire/websocket/handshake-fault.ts';
import { webSocketTunnel } from '../../wire/websocket/tunnel.ts';
import type { Refusal } from './answers.ts';
import { webSocketStream } from './http-metrics.ts';
import { join, joinStream } from './stream-proxy.ts';

/** A client's connection that is to be upgraded. */
export interface Asking {
	readonly request: IncomingMessage;
	readonly socket: Duplex;
	readonly head: Uint8Array;
	readonly path: string;
	/** Of a command. */
	readonly wants: CommandWants;
}

/** Resolves when it is over, with what there is to refuse. @param url the runtime's */
export async function carryStream(asking: Asking, url: string, idle: Idle, signal: AbortSignal): Promise<Refusal | undefined> {
	const { request, socket, head, path } = asking;
	const kind = webSocketStream(path, request.headers);
	if (kind === undefined) {
		await joinStream(request, socket, head, url, idle, signal);
		return undefined;
	}
	const fault = handshakeFault(request);
	if (fault !== undefined) return fault;
	await (kind === 'portforward' ? tunnel(asking, url, idle, signal) : translate(asking, url, idle, signal));
	return undefined;
}

async function translate({ request, socket, head, wants }: Asking, url: string, { clock }: Idle, signal: AbortSignal): Promise<void> {
	const open = new Set<Duplex>([socket]);
	const stop = (): void => open.forEach((one) => one.destroy());
	signal.addEventListener('abort', stop, { once: true });
	try {
		await translateCommand({ handshake: request, socket, head }, wants, {
			clock,
			async behind(gone) {
				const upgraded = await runtime(url, SPDY_COMMAND, AbortSignal.any([gone, signal]));
				open.add(upgraded.socket);
				return { ...upgraded, protocol: String(upgraded.headers['x-stream-protocol-version'] ?? '') };
			},
		});
	} finally {
		signal.removeEventListener('abort', stop);
	}
}

async function tunnel({ request, socket, head }: Asking, url: string, idle: Idle, signal: AbortSignal): Promise<void> {
	const protocols = tunnelledProtocols(request.headers);
	const behind = await runtime(url, protocols, signal);
	try {
		const chosen = String(behind.headers['x-stream-protocol-version'] ?? '');
		const accepted = await acceptWebSocket(request, socket, head, protocols.includes(chosen) ? tunnelOf(chosen) : '');
		const front = webSocketTunnel(accepted, socket);
		if (behind.head.length > 0) front.write(behind.head);
		await join(front, behind.socket, idle, signal);
	} finally {
		behind.socket.destroy();
	}
}

/** On this machine; its certificate is self-signed where it has one. */
function runtime(url: string, protocols: readonly string[], signal: AbortSignal): Promise<Upgraded> {
	const headers = { upgrade: SPDY, 'x-stream-protocol-version': [...protocols] };
	return dialUpgrade({ url: new URL(url), tls: { verify: false } }, 'POST', headers, signal);
}
