/** What a server says that does not upgrade. */
import type { IncomingMessage } from 'node:http';

/** The beginning of an answer's body; of one that is cut short, what came. */
export async function refusedText(response: IncomingMessage, maxBytes: number): Promise<string> {
	const pieces: Buffer[] = [];
	let size = 0;
	try {
		for await (const piece of response as AsyncIterable<Buffer>) {
			pieces.push(piece);
			size += piece.length;
			if (size > maxBytes) break;
		}
	} catch {
		// cut short: what came is told
	}
	return Buffer.concat(pieces).subarray(0, maxBytes).toString().trim();
}
