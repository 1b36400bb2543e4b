/**
 * The floor of the API benchmarks: a bare Node.js http2 server over TLS, stream API. GET answers 4 KB of JSON from memory; /list?bytes=N as many bytes
 * in pieces; /watch stays open, and a POST to /event?bytes=N writes so many bytes to every open watch, and when it began to, to
 * $KUBELING_BENCH_COMMITS. Prints its URL.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const dir = mkdtempSync(join(tmpdir(), 'kubeling-floor-'));
const [keyFile, certFile] = [join(dir, 'key'), join(dir, 'cert')];
const certificate = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -days 2 -keyout ${keyFile} -out ${certFile}`;
execFileSync('openssl', certificate.split(' '), { stdio: 'ignore' });
const [key, cert] = [readFileSync(keyFile), readFileSync(certFile)];
rmSync(dir, { recursive: true });

const PIECE = 128 * 1024;
const JSON_HEADERS = { ':status': 200, 'content-type': 'application/json' };
const body = Buffer.from(JSON.stringify({ data: 'x'.repeat(4000) }));
const watches = new Set<ServerHttp2Stream>();
const commits = process.env['KUBELING_BENCH_COMMITS'];
const times = commits === undefined ? undefined : openSync(commits, 'a');
const server = createSecureServer({ key, cert, settings: { maxConcurrentStreams: 1000, initialWindowSize: 1 << 20 } });

server.on('stream', (stream, headers) => {
	const [path, query] = String(headers[':path']).split('?');
	const bytes = Number(new URLSearchParams(query).get('bytes') ?? 0);
	switch (path) {
		case '/list':
			stream.respond(JSON_HEADERS);
			sendPieces(stream, bytes).catch((error: unknown) => console.error(error));
			return;
		case '/watch':
			stream.respond(JSON_HEADERS);
			watches.add(stream);
			stream.once('close', () => watches.delete(stream));
			return;
		case '/event':
			// What it is to tell must have come first.
			stream.once('end', () => tell(stream, bytes)).resume();
			return;
		default:
			stream.respond({ ...JSON_HEADERS, 'content-length': body.length });
			stream.end(body);
	}
});
server.listen(0, '127.0.0.1', () => console.log(`https://127.0.0.1:${(server.address() as AddressInfo).port}`));

function tell(stream: ServerHttp2Stream, bytes: number): void {
	if (times !== undefined) writeSync(times, new Uint8Array(new BigUint64Array([process.hrtime.bigint()]).buffer));
	const line = Buffer.from(`${'x'.repeat(bytes - 1)}\n`);
	for (const watch of watches) watch.write(line);
	stream.respond(JSON_HEADERS, { endStream: true });
}

async function sendPieces(stream: ServerHttp2Stream, bytes: number): Promise<void> {
	for (let left = bytes; left > 0; left -= PIECE) if (!stream.write(Buffer.alloc(Math.min(left, PIECE), 'x'))) await once(stream, 'drain');
	stream.end();
}
