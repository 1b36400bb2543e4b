/** Ends a stream whose counterpart is gone: what was written goes out first, however slow the one who reads it. */
import type { Duplex } from 'node:stream';

/** May be called again, and of a stream that has ended. */
export function letGo(stream: Duplex): void {
	stream.end(() => stream.destroy());
}
