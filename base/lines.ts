/** Bytes as they arrive, read whole or line by line. */

/** All of a body as text. */
export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of body) chunks.push(chunk);
	const [only] = chunks;
	const bytes = chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

const NEWLINE = 0x0a;

/** The lines of a body without their ends, each as soon as it is complete; empty ones are left out, an unfinished last one is given too. */
export async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
	let pending: Uint8Array[] = [];
	for await (const chunk of body) {
		let start = 0;
		for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
			pending.push(chunk.subarray(start, end));
			const line = Buffer.concat(pending).toString('utf8');
			pending = [];
			start = end + 1;
			if (line !== '') yield line;
		}
		if (start < chunk.length) pending.push(chunk.subarray(start));
	}
	const rest = Buffer.concat(pending).toString('utf8');
	if (rest !== '') yield rest;
}
