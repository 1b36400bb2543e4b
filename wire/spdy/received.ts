/** What comes on a connection, and what came right before it broke, which iterating over the stream itself would drop. */
import type { Duplex } from 'node:stream';

/** More than this waits in the stream below. */
const READ_AHEAD_BYTES = 64 * 1024;

export async function* received(socket: Duplex): AsyncGenerator<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	let isOver = socket.destroyed || socket.readableEnded;
	let wake = (): void => {};
	const over = (): void => {
		isOver = true;
		wake();
	};
	socket.once('end', over).once('close', over);
	socket.on('data', (chunk: Buffer) => {
		chunks.push(chunk);
		size += chunk.length;
		if (size >= READ_AHEAD_BYTES) socket.pause();
		wake();
	});
	socket.resume(); // whoever handed it over may have paused it
	for (;;) {
		const chunk = chunks.shift();
		if (chunk === undefined) {
			if (isOver) return;
			await new Promise<void>((resolve) => (wake = resolve));
			continue;
		}
		size -= chunk.length;
		if (size === 0) socket.resume();
		yield chunk;
	}
}
