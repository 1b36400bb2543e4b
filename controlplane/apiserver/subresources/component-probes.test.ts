import { createServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import { probed } from './component-probes.ts';

const never = new AbortController().signal;

test('a part is asked with TLS, whoever signed its certificate', async (t) => {
	const answers = [
		{ status: 200, text: 'ok' },
		{ status: 500, text: '[-]x failed' },
		{ status: 200, text: 'a'.repeat(20_000) },
	];
	const authority = await createAuthority({ commonName: 'ca', days: 1 }, realClock);
	const { certPem, keyPem } = await issue(authority, { commonName: 'part', usages: ['server'], days: 1 }, realClock);
	const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
		const { status = 0, text = '' } = request.url === '/healthz' ? (answers.shift() ?? {}) : {};
		response.writeHead(status).end(text);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	const part = probed('scheduler', port, realClock);
	t.is(await part.check(never), 'ok');
	await t.throwsAsync(part.check(never), { message: 'HTTP probe failed with statuscode: 500' });
	t.is((await part.check(never)).length, 10 * 1024);
	server.closeAllConnections();
	await new Promise((resolve) => void server.close(resolve));
	await t.throwsAsync(part.check(never), {
		message: `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`,
	});
});
