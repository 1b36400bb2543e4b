/** Exec and attach over SPDY/3.1 (protocols v1 to v5.channel.k8s.io): the client opens one stream for each of error, stdin, stdout, stderr, resize. */
import type { Duplex } from 'node:stream';
import { withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { SpdyConnection, type SpdyStream } from '../spdy/connection.ts';
import { endText, STREAM_CREATION_MS, streamNames, type CommandSession, type CommandWants, type TerminalSize } from './session.ts';
import { sizeReader } from './terminal-sizes.ts';

/** Waits until the client has opened the streams asked for; AppError DeadlineExceeded when it does not, Unavailable when it leaves first. */
export async function spdySession(
	socket: Duplex,
	head: Uint8Array,
	wants: CommandWants,
	version: number,
	clock: Clock,
): Promise<CommandSession> {
	const expected = streamNames(wants, version);
	const streams = new Map<string, SpdyStream>();
	const complete = Promise.withResolvers<void>();
	const connection = new SpdyConnection(socket, head, {
		side: 'server',
		onStream(stream) {
			const type = (stream.headers['streamtype'] ?? '').toLowerCase();
			streams.set(type, stream);
			if (type === 'error') stream.resume();
			if (expected.every((name) => streams.has(name))) complete.resolve();
		},
	});
	using deadline = withDeadline(clock, STREAM_CREATION_MS, 'Opening the streams');
	deadline.signal.addEventListener('abort', () => complete.reject(deadline.signal.reason as Error));
	connection.closed.then(
		() => complete.reject(new AppError('Unavailable', 'The client left before it opened its streams')),
		() => {},
	);
	try {
		await complete.promise;
	} catch (error) {
		connection.close();
		throw error;
	}
	let onResize: ((size: TerminalSize) => void) | undefined;
	let last: TerminalSize | undefined;
	const readSizes = sizeReader((size) => {
		last = size;
		onResize?.(size);
	});
	streams.get('resize')?.setEncoding('utf8').on('data', readSizes);
	return {
		stdin: streams.get('stdin'),
		stdout: streams.get('stdout'),
		stderr: streams.get('stderr'),
		onResize(fn) {
			onResize = fn;
			if (last !== undefined) fn(last);
		},
		closed: connection.closed,
		async finish(end) {
			await Promise.all([streams.get('stdout'), streams.get('stderr')].map(ended));
			const error = streams.get('error');
			if (error !== undefined && !error.destroyed) {
				const text = endText(end, version);
				if (text !== '') error.write(text);
				await ended(error);
			}
			await connection.finish();
		},
	};
}

function ended(stream: SpdyStream | undefined): Promise<void> {
	if (stream === undefined || stream.destroyed || stream.writableFinished) return Promise.resolve();
	return new Promise((resolve) => {
		stream.once('finish', resolve).once('close', resolve);
		if (!stream.writableEnded) stream.end();
	});
}
