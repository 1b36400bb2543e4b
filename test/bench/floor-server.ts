/** The floor for GET: a bare Node.js http2 server over TLS, stream API, answering 4 KB of JSON from memory. Prints its URL. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const dir = mkdtempSync(join(tmpdir(), 'kubeling-floor-'));
execFileSync(
	'openssl',
	[
		'req',
		'-x509',
		'-newkey',
		'ec',
		'-pkeyopt',
		'ec_paramgen_curve:P-256',
		'-nodes',
		'-subj',
		'/CN=localhost',
		'-days',
		'2',
		'-keyout',
		join(dir, 'key'),
		'-out',
		join(dir, 'cert'),
	],
	{ stdio: 'ignore' },
);
const [key, cert] = [readFileSync(join(dir, 'key')), readFileSync(join(dir, 'cert'))];
rmSync(dir, { recursive: true });
const body = Buffer.from(JSON.stringify({ data: 'x'.repeat(4000) }));
const server = createSecureServer({ key, cert });
server.on('stream', (stream) => {
	stream.respond({ ':status': 200, 'content-type': 'application/json', 'content-length': body.length });
	stream.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`));
