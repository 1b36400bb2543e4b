/** What HTTP/1.1 requests may look like, over real sockets: as Go's server takes them, or refuses them. */
import { connect, type TLSSocket } from 'node:tls';
import { once } from 'node:events';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { readText } from '../../../base/lines.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';

const stop = new AbortController();
const { url, ca, token, stopped } = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
test.after.always(async () => {
	stop.abort();
	await stopped;
});

const ADMIN = `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
const MAPS = '/api/v1/namespaces/default/configmaps?dryRun=All';
const MAP = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}';
const LAST = `GET /livez HTTP/1.1\r\n${ADMIN}Connection: close\r\n\r\n`;

function dial(): TLSSocket {
	const { hostname, port } = new URL(url);
	const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: ['http/1.1'] });
	return socket.on('error', () => {}); // the server may end what it does not read
}

/** The lines with the status of what is answered until the connection ends. */
async function answered(text: string): Promise<readonly string[]> {
	const socket = dial();
	socket.write(text);
	return [...(await readText(socket)).matchAll(/HTTP\/1\.1 (.*?)\r\n/g)].map(([, status]) => status as string);
}

const get = (target: string, more = ''): string => `GET ${target} HTTP/1.1\r\n${ADMIN}${more}\r\n`;
const NOT_FOUND = '404 Not Found';
const BAD = '400 Bad Request';

for (const [what, text, want] of [
	['a server in the target', get('https://elsewhere:1/version'), ['200 OK', '200 OK']],
	['an escaped path', get('/%76ersion'), ['200 OK', '200 OK']],
	['an escaped slash', get('/api%2Fv1/namespaces%2Fdefault'), ['200 OK', '200 OK']],
	['a slash too many', get('//version'), [NOT_FOUND, '200 OK']],
	['a broken escape', get('/api/v1/namespaces/%zz'), [BAD]],
	['a broken server', get('http://[::1/version'), [BAD]],
	['a parameter with a semicolon', get('/api/v1/namespaces?limit=x;y'), ['200 OK', '200 OK']],
	['3,000 headers', get('/version', 'x-y: z\r\n'.repeat(3000)), ['200 OK', '200 OK']],
	['no host', 'GET /version HTTP/1.1\r\n\r\n', ['400 Bad Request: missing required Host header']],
	['a host that is none', 'GET /version HTTP/1.1\r\nHost: a/b\r\n\r\n', ['400 Bad Request: malformed Host header']],
	['two hosts', get('/version', 'Host: y\r\n'), [BAD]],
	['another protocol', 'GET /version HTTP/2.0\r\nHost: x\r\n\r\n', ['505 HTTP Version Not Supported: unsupported protocol version']],
	['no request', 'hello\r\n\r\n', [BAD]],
	['an encoding that nobody knows', get('/version', 'Transfer-Encoding: gzip, chunked\r\n'), ['501 Not Implemented']],
	['an expectation that nobody meets', get('/version', 'Expect: wonders\r\n'), ['417 Expectation Failed']],
	['what comes after the last request', get('/version', 'Connection: close\r\n'), ['200 OK']],
	['no request after one', `${get('/version')}hello\r\n\r\n`, ['200 OK', BAD]],
	['a tunnel', `CONNECT /version HTTP/1.1\r\n${ADMIN}\r\n`, ['405 Method Not Allowed']],
] as const)
	test(`HTTP/1.1: ${what}`, async (t) => t.deepEqual(await answered(text + LAST), want));

for (const [what, first, status] of [
	['a request', 'GET /version HTTP/1.1\r\n', 200],
	['a body', `POST ${MAPS} HTTP/1.1\r\nContent-Length: ${MAP.length}\r\n`, 201],
] as const)
	test(`HTTP/1.1: ${what} beside a protocol that nobody takes, and what comes next`, async (t) => {
		const socket = dial();
		socket.write(`${first}${ADMIN}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n${status === 201 ? MAP : ''}`);
		const [answer] = (await once(socket, 'data')) as [Buffer];
		t.regex(answer.toString(), new RegExp(`^HTTP/1\\.1 ${status} `));
		socket.write(LAST);
		t.regex(await readText(socket), /HTTP\/1\.1 200 OK/);
	});

test('HTTP/1.1: a refusal says why in its body', async (t) => {
	const socket = dial();
	socket.write('hello\r\n\r\n');
	t.is(
		await readText(socket),
		'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request',
	);
});

test('HTTP/1.1: whatever is answered is not to be kept', async (t) => {
	const socket = dial();
	socket.write(get('/nope') + LAST);
	t.is((await readText(socket)).match(/cache-control: no-cache, private\r\n/g)?.length, 2);
});

const POST = (path: string, who: string, body: string): string =>
	`POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${who}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`;

test('HTTP/1.1: a body that is waited for is asked for', async (t) => {
	const socket = dial();
	socket.write(POST(MAPS, token, MAP));
	const [first] = (await once(socket, 'data')) as [Buffer];
	t.is(first.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
	socket.write(MAP + LAST);
	t.regex(await readText(socket), /^HTTP\/1\.1 201 Created\r\n[^]*HTTP\/1\.1 200 OK/);
});

for (const [what, path, who, status] of [
	['of a stranger', MAPS, 'nobody', 401],
	['for no resource', '/nope', token, 404],
] as const)
	test(`HTTP/1.1: the body of a request ${what} is not asked for`, async (t) => {
		const socket = dial();
		socket.write(POST(path, who, MAP));
		t.regex(await readText(socket), new RegExp(`^HTTP/1\\.1 ${status} [^]*connection: close\r\n`, 'i'));
	});
