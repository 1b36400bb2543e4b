/** Connections of HTTP/1.1 outlive requests with bodies: read whole, read by nobody, or refused. */
import { once } from 'node:events';
import { connect as dial, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { connect } from 'node:tls';
import test from 'ava';
import { CONFIG_MAPS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

const stop = new AbortController();
const { client, url, ca, token, stopped } = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
test.after.always(async () => {
	stop.abort();
	await stopped;
});

const MAPS = '/api/v1/namespaces/default/configmaps?dryRun=All';
const MAP = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}';
const JSON_TYPE = 'application/json';
const long = (bytes: number): string => 'x'.repeat(bytes);

/** What is written at once over one connection: the request, and one more that asks for its end. */
async function codes(method: string, path: string, type: string, body: string, isChunked = false): Promise<readonly string[]> {
	const { hostname, port } = new URL(url);
	const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: ['http/1.1'] });
	const common = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
	const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${Buffer.byteLength(body)}`;
	const sent = isChunked ? `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
	const first = `${method} ${path} HTTP/1.1\r\n${common}Content-Type: ${type}\r\n${length}\r\n\r\n${sent}`;
	let answers = '';
	socket.setEncoding('utf8').on('data', (text: string) => (answers += text));
	socket.on('error', () => {}); // the server may end what it does not read, and what came before that counts
	socket.write(`${first}GET /livez HTTP/1.1\r\n${common}Connection: close\r\n\r\n`);
	await new Promise((resolve) => socket.once('close', resolve));
	return [...answers.matchAll(/HTTP\/1\.1 (\d+) [^]*?\r\n\r\n/g)].map(([head, code]) => {
		const connection = /^connection: (.*)\r$/im.exec(head)?.[1];
		return [code, connection].filter((one) => one !== undefined).join(' ');
	});
}

/** So much Go's server reads of what nobody wanted (net/http: maxPostHandlerReadBytes) before it gives a connection up. */
const READ_ON = 256 << 10;

for (const [name, method, path, type, body, want] of [
	['an object', 'POST', MAPS, JSON_TYPE, MAP, ['201', '200 close']],
	['a patch', 'PATCH', '/api/v1/namespaces/default?dryRun=All', 'application/merge-patch+json', '{}', ['200', '200 close']],
	['no JSON', 'POST', MAPS, JSON_TYPE, '{', ['400', '200 close']],
	['an unknown media type', 'POST', MAPS, 'text/plain', MAP, ['415', '200 close']],
	['a path that nobody serves', 'POST', '/apis/no.such/v1/things', JSON_TYPE, MAP, ['404', '200 close']],
	['a body that nobody asked for', 'GET', '/version', JSON_TYPE, long(1000), ['200', '200 close']],
	['a large one', 'GET', '/version', JSON_TYPE, long(READ_ON - 1000), ['200', '200 close']],
	['one larger than is read for nobody', 'GET', '/version', JSON_TYPE, long(READ_ON + 1000), ['200 close']],
	['one beyond the limit', 'POST', MAPS, JSON_TYPE, long(3_200_000), ['413 close']],
] as const)
	for (const isChunked of [false, true])
		test(`HTTP/1.1, ${isChunked ? 'chunked' : 'length told'}: after ${name}`, async (t) => {
			t.deepEqual(await codes(method, path, type, body, isChunked), want);
		});

test('HTTP/1.1: who still writes what is too much hears so, and no reset', async (t) => {
	const { hostname, port } = new URL(url);
	const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: ['http/1.1'] });
	let answer = '';
	const heard = new Promise<void>((resolve, reject) => socket.once('error', reject).once('close', resolve));
	socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
	const body = Buffer.alloc(4 << 20, 'x');
	socket.write(`POST ${MAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n`);
	socket.write(body);
	await heard;
	t.regex(answer, /^HTTP\/1\.1 413 /);
});

/** A connection whose two directions stand still where told: what is written meanwhile goes out as one piece, and nothing is read. */
function standing(wire: Socket): { readonly side: Duplex; hold(): void; release(): void } {
	let held: Buffer[] | undefined;
	const side = new Duplex({
		read: () => {},
		write(piece: Buffer, _encoding, done) {
			if (held === undefined) wire.write(piece);
			else held.push(piece);
			done();
		},
	});
	wire.on('data', (piece: Buffer) => side.push(piece));
	wire.once('close', () => side.push(null));
	return {
		side,
		hold() {
			held = [];
			wire.pause();
		},
		release() {
			wire.write(Buffer.concat(held ?? []));
			held = undefined;
		},
	};
}

test('HTTP/1.1: a head and its body come at once, in a record of TLS each, while the answer before is still on its way', async (t) => {
	// Together more than the kernel keeps for a client that does not read.
	for (let i = 0; i < 10; i++)
		await client.create(CONFIG_MAPS, { metadata: { name: `large-${i}`, namespace: 'default' }, data: { a: long(900_000) } });
	const { hostname, port } = new URL(url);
	const wire = dial(Number(port), hostname);
	const line = standing(wire);
	const socket = connect({ socket: line.side, ca, host: hostname, ALPNProtocols: ['http/1.1'] });
	await once(socket, 'secureConnect');
	let answers = '';
	socket.setEncoding('latin1').on('data', (text: string) => (answers += text));
	const common = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
	socket.write(`GET ${MAPS} HTTP/1.1\r\n${common}\r\n`);
	await once(wire, 'data');
	line.hold();
	const end = `${common}Connection: close\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${MAP.length}\r\n\r\n`;
	socket.write(`POST ${MAPS} HTTP/1.1\r\n${end}`);
	socket.write(MAP);
	line.release();
	// Its turn to read them.
	for (let i = 0; i < 20; i++) await setImmediate();
	wire.resume();
	await once(wire, 'close');
	t.deepEqual(
		[...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, code]) => code),
		['200', '201'],
	);
});
