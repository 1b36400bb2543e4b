/** Port-forward as a client: SPDY, plain or inside a WebSocket; each forwarded connection is a pair of an error and a data stream. */
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { AppError } from '../../base/errors.ts';
import { SpdyConnection, type SpdyStream } from '../spdy/connection.ts';
import { dialUpgrade, type UpgradeTarget } from '../upgrade/dial.ts';
import { dialWebSocket } from '../websocket/dial.ts';
import { webSocketTunnel } from '../websocket/tunnel.ts';
import { PORT_FORWARD, TUNNEL } from './session.ts';

export interface PortForwarder {
	/** A connection to a port of the pod; it fails with the server's words when the port cannot be reached. */
	open(port: number): Promise<Duplex>;
	/** Resolves when the server is gone. */
	readonly closed: Promise<void>;
	close(): void;
}

export async function connectPortForward(
	target: UpgradeTarget,
	transport: 'websocket' | 'spdy',
	signal: AbortSignal,
): Promise<PortForwarder> {
	const connection = new SpdyConnection(...(await dial(target, transport, signal)), { side: 'client' });
	let requests = 0;
	return {
		async open(port) {
			const headers = { port: String(port), requestid: String(requests++) };
			const error = await connection.open({ ...headers, streamtype: 'error' });
			error.end();
			const data = await connection.open({ ...headers, streamtype: 'data' });
			const problem = text(error).catch(() => ''); // cut off: the data stream was too, and tells
			return Duplex.from({ readable: received(data, problem), writable: data });
		},
		closed: connection.closed,
		close: () => connection.close(),
	};
}

/** What came; when nothing did, the server may have said why, and its words may come after the end. */
async function* received(data: SpdyStream, problem: Promise<string>): AsyncGenerator<Buffer> {
	let any = false;
	for await (const chunk of data as AsyncIterable<Buffer>) {
		any = true;
		yield chunk;
	}
	if (data.isCut) throw new AppError('Unavailable', 'The stream was cut off');
	const said = any ? '' : await problem;
	if (said !== '') throw new AppError('Unavailable', said);
}

async function dial(target: UpgradeTarget, transport: 'websocket' | 'spdy', signal: AbortSignal): Promise<readonly [Duplex, Uint8Array]> {
	if (transport === 'websocket') {
		const { socket } = await dialWebSocket(target, [TUNNEL], signal);
		return [webSocketTunnel(socket), new Uint8Array()];
	}
	const headers = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': PORT_FORWARD };
	const { socket, head } = await dialUpgrade(target, 'POST', headers, signal);
	return [socket, head];
}
