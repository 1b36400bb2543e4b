/** Port-forward over SPDY: the client opens pairs of an error and a data stream for each connection it forwards, tied by `requestid`. */
import type { Duplex } from 'node:stream';
import { messageOf } from '../../base/errors.ts';
import { SpdyConnection, type SpdyStream } from '../spdy/connection.ts';

/** Connects to a port of the pod; rejects with what is told to the client. */
export type Dial = (port: number) => Promise<Duplex>;

interface Pair {
	error?: SpdyStream;
	data?: SpdyStream;
}

/** Serves connections until the client goes. */
export async function servePortForward(socket: Duplex, head: Uint8Array, dial: Dial): Promise<void> {
	const pairs = new Map<string, Pair>();
	const connection = new SpdyConnection(socket, head, {
		side: 'server',
		onStream(stream) {
			const id = stream.headers['requestid'] ?? String(stream.id);
			const pair = pairs.get(id) ?? {};
			pairs.set(id, pair);
			if (stream.headers['streamtype'] === 'error') {
				pair.error = stream;
				stream.resume();
			} else pair.data = stream;
			if (pair.error === undefined || pair.data === undefined) return;
			pairs.delete(id);
			forward(pair.data, pair.error, dial, connection.closed).catch(() => {});
		},
	});
	await connection.closed;
}

async function forward(data: SpdyStream, error: SpdyStream, dial: Dial, closed: Promise<void>): Promise<void> {
	const text = data.headers['port'] ?? '';
	const port = Number(text);
	let target: Duplex;
	try {
		if (!Number.isInteger(port) || port < 1 || port > 65535) throw new Error(`unable to parse ${JSON.stringify(text)} as a port`);
		target = await dial(port);
	} catch (problem) {
		// Told whole before the data ends, which is what a client may take for the connection's own end.
		await new Promise<void>((resolve) => {
			error.once('close', resolve);
			error.end(`an error occurred forwarding ${text}: ${messageOf(problem)}`, () => resolve());
		});
		data.end();
		data.resume();
		return;
	}
	target.on('error', () => data.destroy());
	data.on('error', () => target.destroy());
	closed.then(
		() => target.destroy(),
		() => {},
	);
	data.pipe(target);
	target.pipe(data);
	await new Promise<void>((resolve) => {
		target.once('close', resolve).once('end', resolve);
		data.once('close', () => {
			target.destroy();
			resolve();
		});
	});
	error.end();
}
